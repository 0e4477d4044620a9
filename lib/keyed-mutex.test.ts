// One task at a time for a key.
import { KeyedMutex } from "./keyed-mutex";

test("tasks of one key run one after another in their order, also after one that failed; other keys do not wait", async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const first = mutex.runExclusive("a", async () => {
    await gate;
    log.push("a1");
    throw new Error("lost");
  });
  const second = mutex.runExclusive("a", () => Promise.resolve(log.push("a2")));
  await mutex.runExclusive("b", () => Promise.resolve(log.push("b1")));
  expect(log).toEqual(["b1"]);
  release();
  await expect(first).rejects.toThrow("lost");
  await second;
  expect(log).toEqual(["b1", "a1", "a2"]);
});
