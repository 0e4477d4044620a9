import { chooseControllers } from "../app/flags";
import { helpText, readSettings } from "./settings";

const KNOWN = ["labels", "registries", "upgrades"];

test("without anything, all controllers run with the defaults", () => {
  expect(readSettings([], { POD_NAME: "coordinator-1" }, KNOWN)).toEqual({
    kubeconfig: undefined,
    namespace: "fleetwright-system",
    controllers: KNOWN,
    leaderElect: true,
    identity: "coordinator-1",
    host: undefined,
    port: 8080,
    perSecond: 200,
    burst: 400,
    concurrency: 16,
    logLevel: "info",
    failpoint: undefined,
  });
});

test("a flag wins over the environment, which wins over the default", () => {
  const env = { FLEETWRIGHT_PORT: "9000", FLEETWRIGHT_LEADER_ELECT: "false", FLEETWRIGHT_QPS: "5" };
  const settings = readSettings(["--port", "9001", "--failpoint=write=3"], env, KNOWN);
  expect(settings).toMatchObject({ port: 9001, leaderElect: false, perSecond: 5, failpoint: 3 });
});

test("all that is wrong is reported at once, with what was found and what is allowed", () => {
  const wrong = [
    "--port=http",
    "--controllers=label",
    "--log-level=loud",
    "--leader-elect=yes",
    "--failpoint=x",
  ];
  expect(() => readSettings(wrong, { FLEETWRIGHT_QPS: "0" }, KNOWN)).toThrow(
    [
      "The coordinator cannot start:",
      '  --log-level is "loud": give one of debug, info, warn, error',
      '  --leader-elect is "yes": give true or false',
      '  --controllers names "label": there are labels, registries, upgrades',
      '  --port is "http": give a whole number from 0 to 65535',
      '  --qps is "0": give a whole number from 1 to 1000000',
      '  --failpoint is "x": give write=N, with N from 1',
    ].join("\n"),
  );
  expect(() => readSettings(["--speed=9"], {}, KNOWN)).toThrow(/--speed/);
});

test.each([
  ["*", KNOWN],
  ["labels", ["labels"]],
  ["upgrades, labels", ["labels", "upgrades"]],
  ["*,-upgrades", ["labels", "registries"]],
])("--controllers %s chooses %j", (list, chosen) => {
  expect(chooseControllers(list, KNOWN)).toEqual(chosen);
});

test("a list that chooses nothing is refused", () => {
  expect(() => readSettings(["--controllers=-labels"], {}, KNOWN)).toThrow(/chooses none/);
});

test("the help names every flag and every controller", () => {
  const help = helpText([{ name: "labels", description: "labels on nodes" }]);
  expect(help).toMatch(/--kubeconfig <file> +a kubeconfig/);
  expect(help).toMatch(/labels +labels on nodes/);
});
