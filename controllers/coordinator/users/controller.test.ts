import {
  crashAtEveryWrite,
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { CLUSTER_ROLE_BINDINGS } from "../authorization/rbac-resources";
import { ROLE_BINDINGS, ROLES, USERS } from "../kinds";
import { NAMESPACES, SERVICE_ACCOUNTS, type ServiceAccount } from "../native-resources";

let fixture: CoordinatorFixture;
let running: Running;
const controllers = "users,authorization";
const namespace = "fleetwright-users";

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  running = await fixture.start({ controllers });
});
afterAll(() => fixture.close());

const addUser = (name: string, teams: string[] = [], login = name): Promise<unknown> =>
  fixture.direct.create(USERS, { metadata: { name }, spec: { name: login, teams } } as never);
const account = (name: string): Promise<ServiceAccount | undefined> =>
  fixture.direct.get(SERVICE_ACCOUNTS, { namespace, name }).catch(() => undefined);
const appears = (name: string): Promise<ServiceAccount> =>
  waitFor(`the account ${name}`, () => account(name)) as Promise<ServiceAccount>;
const isGone = (name: string): Promise<unknown> =>
  waitFor(`the account ${name} to go`, async () => (await account(name)) === undefined);
const subjects = async (binding: string): Promise<string[]> =>
  ((await fixture.direct.get(CLUSTER_ROLE_BINDINGS, { name: `fleetwright:${binding}` })).subjects ?? []).map(
    ({ kind, name }) => `${kind} ${name}`,
  );
const isBoundTo = (binding: string, wanted: string[]): Promise<unknown> =>
  waitFor(
    `${binding} to be bound to ${wanted.join(", ")}`,
    async () => JSON.stringify(await subjects(binding).catch(() => [])) === JSON.stringify(wanted),
  );

test("a User who is declared before the namespace gets an account when it comes", async () => {
  await addUser("early");
  await fixture.direct.create(NAMESPACES, { metadata: { name: namespace } });
  expect(await appears("user-early")).toMatchObject({
    metadata: { annotations: { "fleetwright.dev/user": "early" } },
    automountServiceAccountToken: false,
  });
});

test("an account comes back when it is deleted, and never mounts itself into pods", async () => {
  await addUser("again");
  const { metadata } = await appears("user-again");
  await fixture.direct.patch(SERVICE_ACCOUNTS, metadata, { automountServiceAccountToken: true });
  await waitFor(
    "it to be changed back",
    async () => (await account("user-again"))?.automountServiceAccountToken === false,
  );
  await fixture.direct.delete(SERVICE_ACCOUNTS, metadata);
  await waitFor("another account", async () => {
    const found = await account("user-again");
    return found !== undefined && found.metadata.uid !== metadata.uid;
  });
});

test("the account goes with its User, and one that somebody else made stays", async () => {
  await fixture.direct.create(SERVICE_ACCOUNTS, { metadata: { namespace, name: "user-theirs" } });
  await addUser("theirs");
  await waitFor("a warning", () =>
    running.lines.some((line) => line.includes("user-theirs is not managed by Fleetwright")),
  );
  await addUser("brief");
  await appears("user-brief");
  await fixture.direct.delete(USERS, { name: "theirs" });
  await fixture.direct.delete(USERS, { name: "brief" });
  await isGone("user-brief");
  expect(await account("user-theirs")).toBeDefined();
});

test("the accounts of a User's grants go before the account", async () => {
  await addUser("granted");
  await appears("user-granted");
  const grant = (name: string, of: string): Promise<unknown> =>
    fixture.direct.create(SERVICE_ACCOUNTS, {
      metadata: {
        namespace,
        name,
        labels: {
          "app.kubernetes.io/managed-by": "fleetwright",
          "fleetwright.dev/controller": "access",
          "fleetwright.dev/account": of,
        },
      },
    });
  await grant("grant-hers", "user-granted");
  await grant("grant-another", "user-early");
  await waitFor("the grant to be seen", async () => (await account("grant-hers")) !== undefined);
  await quiet(running);
  await fixture.direct.delete(USERS, { name: "granted" });
  await isGone("user-granted");
  expect(await account("grant-hers")).toBeUndefined();
  expect(await account("grant-another")).toBeDefined();
});

describe("bindings", () => {
  beforeAll(async () => {
    await fixture.direct.create(ROLES, {
      metadata: { name: "viewer" },
      spec: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
    });
    for (const [name, spec] of [
      ["ada", { role: "viewer", user: "ada" }],
      ["red", { role: "viewer", team: "red" }],
      ["blue", { role: "viewer", team: "blue" }],
    ] as const)
      await fixture.direct.create(ROLE_BINDINGS, { metadata: { name }, spec });
    await isBoundTo("ada", ["User ada"]);
  });

  test("name a person by their account too as soon as there is such a User", async () => {
    await addUser("ada", ["red"]);
    await isBoundTo("ada", ["User ada", "User fleetwright.dev/user:ada", "ServiceAccount user-ada"]);
  });

  test("follow who is in a team", async () => {
    const red = "Group fleetwright.dev/team:red";
    const blue = "Group fleetwright.dev/team:blue";
    const members = ["User fleetwright.dev/user:ada", "ServiceAccount user-ada"];
    await isBoundTo("red", [red, ...members]);
    await isBoundTo("blue", [blue]);
    await fixture.direct.patch(USERS, { name: "ada" }, { spec: { teams: ["blue"] } });
    await isBoundTo("red", [red]);
    await isBoundTo("blue", [blue, ...members]);
  });

  test("leave out an account of which all was revoked, until its label goes", async () => {
    const label = (value: string | null): Promise<unknown> =>
      fixture.direct.patch(
        SERVICE_ACCOUNTS,
        { namespace, name: "user-ada" },
        { metadata: { labels: { "fleetwright.dev/access-revoked": value } } },
      );
    await label("true");
    await isBoundTo("ada", ["User ada", "User fleetwright.dev/user:ada"]);
    await label(null);
    await isBoundTo("ada", ["User ada", "User fleetwright.dev/user:ada", "ServiceAccount user-ada"]);
  });

  test("leave a User out as soon as it is being deleted, even while something holds it", async () => {
    await fixture.direct.patch(
      USERS,
      { name: "ada" },
      [{ op: "add", path: "/metadata/finalizers/-", value: "fleetwright.dev/test" }],
      { type: "json" },
    );
    await fixture.direct.delete(USERS, { name: "ada" });
    await isBoundTo("ada", ["User ada"]);
    await isBoundTo("blue", ["Group fleetwright.dev/team:blue"]);
    await fixture.direct.patch(USERS, { name: "ada" }, { metadata: { finalizers: null } });
  });

  test("cannot be in the namespace of the accounts", async () => {
    await expect(
      fixture.direct.create(ROLE_BINDINGS, {
        metadata: { name: "closed" },
        spec: { role: "viewer", user: "ada", namespace },
      }),
    ).rejects.toThrow("the namespace must not be fleetwright-users");
  });
});

test("at rest nothing is written, not even after a new start", async () => {
  await quiet(running);
  expect(await writesWithin(running, 3000)).toEqual([]);
  await running.stop();
  running = await fixture.start({ controllers });
  await quiet(running, 2000);
  expect(running.writes()).toEqual([]);
});

test("whenever it dies, the next one gets there", async () => {
  await running.stop();
  const deaths = await crashAtEveryWrite(
    fixture,
    { controllers },
    {
      arrange: async () => {
        await addUser("crash");
      },
      converged: async () => {
        await appears("user-crash");
      },
      restore: async () => {
        await fixture.direct.delete(USERS, { name: "crash" });
        await isGone("user-crash");
        await waitFor("the User to go", async () =>
          fixture.direct.get(USERS, { name: "crash" }).then(
            () => false,
            () => true,
          ),
        );
      },
    },
  );
  expect(deaths).toBeGreaterThanOrEqual(2);
  running = await fixture.start({ controllers });
});
