import { measureFirstRun } from "./first-run";

const SCREEN = `echo 'making the bare root'; echo '@@ begun @@'; echo '@@ installed @@'
echo ' ✓ etcd, etcdctl, etcdutl 3.6.5 (1 of 8) (built)                1m05s'
echo ' ✓ stack dev selected                                           1.9 s'
echo '  nodes      6 of 6 ready, v1.35.4'; echo '@@ started @@'`;

const run = (script: string): ReturnType<typeof measureFirstRun> =>
  measureFirstRun("sh", ["-c", script], new AbortController().signal, () => {});

test("a run is measured from what it prints", async () => {
  const { figures, bars } = await run(SCREEN);
  expect(figures).toMatchObject({ nodesReady: 6, partSeconds: { "etcd, etcdctl, etcdutl 3.6.5": 65 } });
  expect(figures.totalMinutes).toBeLessThan(1);
  expect(bars.map(({ holds }) => holds)).toEqual([true, true]);
});

test.each([
  ["fails", `${SCREEN}; exit 3`, /exit code 3/],
  ["never starts a stack", "echo '@@ begun @@'", /The first run failed/],
])("a run that %s is no result", async (_, script, message) => {
  await expect(run(script)).rejects.toThrow(message);
});
