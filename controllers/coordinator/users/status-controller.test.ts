import {
  crashAtEveryWrite,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { describeHosts, HostFixture, makeUser, publicKey, startAgent } from "../../../test/harness/agent";
import { waitFor, waitForRest } from "../../../test/harness/fault-proxy";
import { NODES } from "../../agent/kinds";
import { USERS, type UserStatus } from "../../app/user";
import { systemClock, type Clock } from "../../runtime";

const DAY_MS = 86_400_000;
const options = { controllers: "user-status" };
let fixture: CoordinatorFixture;
let running: Running;

const statusOf = async (name: string): Promise<UserStatus> =>
  (await fixture.direct.get(USERS, { name })).status ?? {};
const ready = async (name: string): Promise<string> => {
  const found = (await statusOf(name)).conditions?.find(({ type }) => type === "Ready");
  return `${found?.status ?? ""} ${found?.reason ?? ""}`;
};
const says = (name: string, words: string): Promise<unknown> =>
  waitFor(`${name} to say ${words}`, async () => (await ready(name)) === words);
const shifted = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms });

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  running = await fixture.start(options);
});
afterAll(() => fixture.close());

test("says that a User is in order, and how many of its keys are in force until when", async () => {
  const notAfter = new Date(Date.now() + DAY_MS).toISOString();
  const sshKeys = [{ key: publicKey("one") }, { key: publicKey("two"), notAfter }];
  await makeUser(fixture, { name: "ada", sshKeys });
  await says("ada", "True Accepted");
  expect(await statusOf("ada")).toMatchObject({ keys: 2, nextExpiry: notAfter, observedGeneration: 1 });
  await fixture.direct.patch(USERS, { name: "ada" }, { spec: { sshKeys: [] } });
  await waitFor("the keys to go", async () => (await statusOf("ada")).keys === 0);
  expect((await statusOf("ada")).nextExpiry).toBeUndefined();
});

test("says when a key has expired, though nothing was changed", async () => {
  const notAfter = new Date(Date.now() + 3000).toISOString();
  await makeUser(fixture, { name: "brief", sshKeys: [{ key: publicKey("brief"), notAfter }] });
  await waitFor("the key to expire", async () => (await statusOf("brief")).keys === 0);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(notAfter));
});

test("gives a login name to the oldest that declares it, and to the next when that one goes", async () => {
  await makeUser(fixture, { name: "first" });
  await says("first", "True Accepted");
  const spec = { name: "first" };
  await fixture.direct.create(USERS, { metadata: { name: "second" }, spec });
  await says("second", "False LoginTaken");
  await fixture.direct.delete(USERS, { name: "first" });
  await says("second", "True Accepted");
});

test("names the nodes that report trouble, and leaves their entries to them", async () => {
  await makeUser(fixture, { name: "grace" });
  await says("grace", "True Accepted");
  const failures = [{ node: "n1", reason: "AccountExists", message: "" }];
  await fixture.direct.patch(USERS, { name: "grace" }, { status: { failures } }, { subresource: "status" });
  await says("grace", "False FailedOnNodes");
  expect((await statusOf("grace")).failures).toEqual(failures);
  const none = { status: { failures: null } };
  await fixture.direct.patch(USERS, { name: "grace" }, none, { subresource: "status" });
  await says("grace", "True Accepted");
});

test("takes over what an agent of an earlier release wrote, also what is no longer to be there", async () => {
  await running.stop();
  await makeUser(fixture, { name: "old" });
  const status = { keys: 3, nextExpiry: "2030-01-01T00:00:00Z" };
  await fixture.direct.patch(
    USERS,
    { name: "old" },
    { apiVersion: "fleetwright.dev/v1", kind: "User", metadata: { name: "old" }, status },
    { type: "apply", subresource: "status", query: { fieldManager: "fleetwright-agent" } },
  );
  running = await fixture.start(options);
  await says("old", "True Accepted");
  await waitFor("the expiry to go", async () => (await statusOf("old")).nextExpiry === undefined);
  expect((await statusOf("old")).keys).toBe(0);
});

test("writes nothing at rest", async () => {
  expect(await writesWithin(running, 3000)).toEqual([]);
});

test("gets there whichever write it dies before", async () => {
  await running.stop();
  const deaths = await crashAtEveryWrite(fixture, options, {
    arrange: async () => {
      await makeUser(fixture, { name: "crash" });
    },
    converged: async () => {
      await says("crash", "True Accepted");
    },
    restore: () => fixture.direct.delete(USERS, { name: "crash" }),
  });
  expect(deaths).toBeGreaterThanOrEqual(1);
  running = await fixture.start(options);
});

describeHosts("beside agents", () => {
  test("does not flip between nodes whose clocks are a day apart while a key expires in between", async () => {
    const [behind, ahead] = [new HostFixture(), new HostFixture()];
    for (const name of ["behind", "ahead"]) await fixture.direct.create(NODES, { metadata: { name } });
    const agents = [
      startAgent(fixture, { node: "behind", host: behind, clock: shifted(-DAY_MS) }),
      startAgent(fixture, { node: "ahead", host: ahead, clock: shifted(DAY_MS) }),
    ];
    try {
      const notAfter = new Date(Date.now() + DAY_MS / 2).toISOString();
      await makeUser(fixture, { name: "joan", sshKeys: [{ key: publicKey("joan"), notAfter }] });
      await waitFor("the key on the node behind", () => behind.opens("joan").length === 1);
      await waitFor("the account on the node ahead", () => ahead.read("etc/passwd").includes("joan:"));
      await says("joan", "True Accepted");
      const version = async (): Promise<string> =>
        (await fixture.direct.get(USERS, { name: "joan" })).metadata.resourceVersion ?? "";
      await waitForRest("no more writes", version, 5000);
      expect(await statusOf("joan")).toMatchObject({ keys: 1, nextExpiry: notAfter });
    } finally {
      await Promise.all(agents.map((agent) => agent.stop()));
      await Promise.all([behind, ahead].map((host) => host.remove()));
    }
  });
});
