import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { crdOf } from "../../../api";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../../test/harness/coordinator";
import { fixed, waitFor, waitForRest } from "../../../test/harness/fault-proxy";
import {
  describeHosts,
  makeUser,
  publicKey,
  startAgent,
  HostFixture,
  type RunningAgent,
} from "../../../test/harness/agent";
import { systemClock, type Clock, type KubernetesObject, type Resource } from "../../runtime";
import { NODES, USERS, type UserStatus } from "../kinds";
import { LOGINS_CONDITION } from "./index";

describeHosts("the agent's users", () => {
  let fixture: CoordinatorFixture;
  let hosts: HostFixture[] = [];
  let agents: RunningAgent[] = [];
  const statusOf = async (name: string): Promise<UserStatus> =>
    (await fixture.direct.get(USERS, { name })).status ?? {};
  const ready = async (name: string): Promise<string> => {
    const found = (await statusOf(name)).conditions?.find(({ type }) => type === "Ready");
    return `${found?.status ?? ""} ${found?.reason ?? ""}`;
  };
  const events = async (): Promise<{ reason: string; note: string; regarding: { name: string } }[]> =>
    (
      await fixture.direct.request<{
        items: { reason: string; note: string; regarding: { name: string } }[];
      }>({
        method: "GET",
        path: "/apis/events.k8s.io/v1/namespaces/default/events",
      })
    ).items;
  const start = (
    node: string,
    more: Partial<Parameters<typeof startAgent>[1]> = {},
  ): [HostFixture, RunningAgent] => {
    const host = new HostFixture();
    const agent = startAgent(fixture, { node, host, controllers: "users", ...more });
    hosts.push(host);
    agents.push(agent);
    return [host, agent];
  };

  beforeAll(async () => {
    fixture = await startCoordinatorFixture();
    for (const name of ["n1", "n2"]) await fixture.direct.create(NODES, { metadata: { name } });
    // What holds on all nodes alike is in its hands.
    await fixture.start({ controllers: "user-status" });
  });
  afterEach(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await Promise.all(hosts.map((host) => host.remove()));
    const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path: "/apis/fleetwright.dev/v1/users",
    });
    for (const { metadata } of items) await fixture.direct.delete(USERS, metadata);
    hosts = [];
    agents = [];
  });
  afterAll(() => fixture.close());

  test("have an account on every node while their User lives, and the status says so", async () => {
    const nodes = [start("n1")[0], start("n2")[0]];
    await makeUser(fixture, {
      name: "ada",
      fullName: "Ada",
      sudo: true,
      sshKeys: [{ key: publicKey("ada") }],
    });
    for (const host of nodes)
      await waitFor("the account", () => host.opens("ada").includes(publicKey("ada")));
    await waitFor("the status", async () => (await ready("ada")) === "True Accepted");
    expect(await statusOf("ada")).toMatchObject({ keys: 1, observedGeneration: 1 });
    await fixture.direct.patch(USERS, { name: "ada" }, { spec: { sudo: false, sshKeys: [] } });
    for (const host of nodes)
      await waitFor(
        "the keys and the sudo rule to go",
        () => host.opens("ada").length === 0 && !existsSync(host.at("etc/sudoers.d/fleetwright")),
      );
    await fixture.direct.delete(USERS, { name: "ada" });
    for (const host of nodes)
      await waitFor("the account to go", () => !host.read("etc/passwd").includes("ada"));
  });

  test("report on their User the one node where the account cannot be created", async () => {
    const [host] = start("n1");
    start("n2");
    const without = host.read("etc/passwd");
    host.put("etc/passwd", `${without}ada:x:1001:1001::/home/x:/bin/sh\n`);
    await makeUser(fixture, { name: "ada", sshKeys: [] });
    await waitFor("the condition", async () => (await ready("ada")) === "False FailedOnNodes");
    expect((await statusOf("ada")).failures).toEqual([
      { node: "n1", reason: "AccountExists", message: expect.stringContaining("that is not ours") as string },
    ]);
    host.put("etc/passwd", host.read("etc/passwd").replace(/^ada:x:1001.*\n/m, ""));
    await waitFor("the account", () => /^ada:x:7/m.test(host.read("etc/passwd")));
    await waitFor("the condition", async () => (await ready("ada")) === "True Accepted");
    expect((await statusOf("ada")).failures ?? []).toEqual([]);
  });

  test("have what others write into their files removed at once, with an event that says what it was", async () => {
    const [host] = start("n1");
    await makeUser(fixture, { name: "ada", sshKeys: [{ key: publicKey("ada") }] });
    await waitFor("the account", () => host.opens("ada").length === 1);
    const file = host.at("home/ada/.ssh/authorized_keys");
    for (let round = 0; round < 3; round++) {
      appendFileSync(file, `${publicKey(`eve-${round}`)}\n`);
      await waitFor("the line to go", () => !readFileSync(file, "utf8").includes("eve"));
    }
    rmSync(host.at("home/ada/.ssh"), { recursive: true });
    await waitFor("the keys to come back", () => host.opens("ada").length === 1);
    // The folder is another one by now, and watched like the one before.
    writeFileSync(file, "");
    await waitFor("the keys to come back", () => host.opens("ada").length === 1);
    host.put("etc/passwd", host.read("etc/passwd").replace(/^ada:.*\n/m, ""));
    await waitFor("the account to come back", () => host.opens("ada").length === 1);
    const found = await waitFor("the event", async () =>
      (await events()).find(({ reason, note }) => reason === "TamperingUndone" && note.includes("SHA256:")),
    );
    expect(found?.regarding.name).toBe("ada");
    expect(found?.note).toMatch(
      /^Managed files on n1 were changed by someone else and restored: authorized_keys had 1 foreign line/,
    );
  });

  test("cost the API less than a request a second when logins scribble into their files, and are undone all the same", async () => {
    const proxy = await fixture.proxy(undefined, fixture.plane.kubeconfig);
    const credentials = fixed(proxy.url, fixture.proxyCertificate);
    const [host] = start("n1", { credentials });
    const names = ["ada", "eve"];
    for (const name of names) await makeUser(fixture, { name, sshKeys: [{ key: publicKey(name) }] });
    for (const name of names) await waitFor("the account", () => host.opens(name).length === 1);
    for (const name of names)
      await waitFor("the status", async () => (await ready(name)) === "True Accepted");
    const files = names.map((name) => host.at(`home/${name}/.ssh/authorized_keys`));
    const [from, before] = [performance.now(), proxy.seen.length];
    let restored = 0;
    // On a slow machine for longer, until the agent has undone enough of it to show that it goes on.
    while (performance.now() - from < 20_000 || restored <= 10) {
      for (const file of files) {
        if (!readFileSync(file, "utf8").startsWith("scribble")) restored += 1;
        writeFileSync(file, `scribble ${Math.random()}\n`);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const seconds = (performance.now() - from) / 1000;
    expect((proxy.seen.length - before) / seconds).toBeLessThan(1);
    for (const name of names)
      await waitFor("the keys to come back", () => host.opens(name).join() === publicKey(name));
    // A change of the User is never held back.
    await fixture.direct.delete(USERS, { name: "eve" });
    await waitFor("the account to go", () => host.opens("eve").length === 0);
    await agents.at(-1)?.stop();
    agents.pop();
    await proxy.stop();
  });

  test.each([
    ["lose an expired key though the clock was behind when the agent started", -1],
    ["get back a key though the clock was ahead when the agent started", 1],
  ])(
    "%s",
    async (_what, direction) => {
      // Its minutes take three seconds, and its wall clock is a day off at first.
      let offset = direction * 86_400_000;
      const clock: Clock = {
        now: () => Date.now() + offset,
        monotonic: () => systemClock.monotonic() * 20,
        schedule: (ms, call) => systemClock.schedule(ms / 20, call),
      };
      const [host] = start("n1", { clock });
      const opens = (): boolean => host.opens("ada").length === 1;
      const notAfter = new Date(Date.now() + direction * 3_600_000).toISOString();
      await makeUser(fixture, { name: "ada", sshKeys: [{ key: publicKey("ada"), notAfter }] });
      await waitFor("the account", () => host.maybe("home/ada/.ssh/authorized_keys") !== undefined);
      await waitFor("the keys, as far as the agent knows", () => opens() === direction < 0);
      offset = 0;
      await waitFor("the keys by the right time", () => opens() === direction > 0);
    },
    180_000,
  );

  test("lose a key when it expires, without anybody doing anything", async () => {
    const [host] = start("n1");
    const key = publicKey("ada");
    await makeUser(fixture, { name: "ada", sshKeys: [{ key }] });
    await waitFor("the key", () => host.opens("ada").length === 1);
    // Only now: on a busy machine the key would expire before it was ever in place.
    const notAfter = new Date(Date.now() + 3000).toISOString();
    await fixture.direct.patch(USERS, { name: "ada" }, { spec: { sshKeys: [{ key, notAfter }] } });
    await waitFor("the key to expire", () => host.opens("ada").length === 0);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(notAfter));
    await waitFor("the status", async () => (await statusOf("ada")).keys === 0);
  });

  test("cause no writes at rest", async () => {
    start("n1");
    const [host] = start("n2");
    await Promise.all(["ada", "grace", "joan"].map((name) => makeUser(fixture, { name })));
    for (const name of ["ada", "grace", "joan"]) {
      await waitFor("the account", () => host.read("etc/passwd").includes(`${name}:`));
      await waitFor("the status", async () => (await ready(name)) === "True Accepted");
    }
    const versions = async (): Promise<string> =>
      JSON.stringify(
        await Promise.all(
          ["users", "clusterupgrades"].map(async (plural) =>
            (
              await fixture.direct.request<{ items: KubernetesObject[] }>({
                method: "GET",
                path: `/apis/fleetwright.dev/v1/${plural}`,
              })
            ).items.map(({ metadata }) => metadata.resourceVersion),
          ),
        ),
      );
    // Longer than the longest random delay before a status is written.
    await waitForRest("no more writes", versions, 3000);
  });

  test("are reported on the node when nothing can be written there at all", async () => {
    const [host] = start("n1");
    const condition = async (): Promise<string | undefined> =>
      (await fixture.direct.get(NODES, { name: "n1" })).status?.conditions?.find(
        ({ type }) => type === LOGINS_CONDITION,
      )?.reason;
    const passwd = host.read("etc/passwd");
    rmSync(host.at("etc/passwd"));
    await makeUser(fixture, { name: "ada" });
    await waitFor("the condition", async () => (await condition()) === "FileMissing");
    host.put("etc/passwd", passwd);
    await waitFor("the condition to go", async () => (await condition()) === undefined);
    await waitFor("the account", () => host.read("etc/passwd").includes("ada:"));
  });

  test("stay as they are when the agent ends, or are locked if that was asked for", async () => {
    const [kept, first] = start("n1");
    const [locked, second] = start("n2", { flags: ["--on-shutdown=lock"] });
    await makeUser(fixture, { name: "ada", sshKeys: [{ key: publicKey("ada") }] });
    for (const host of [kept, locked]) await waitFor("the account", () => host.opens("ada").length === 1);
    await Promise.all([first.stop(), second.stop()]);
    agents = [];
    expect(kept.opens("ada")).toHaveLength(1);
    expect(locked.opens("ada")).toHaveLength(0);
    expect(locked.read("etc/passwd")).toContain("ada:");
  });

  // Last: it takes the rules out of the server.
  test("are refused with a condition, and nothing is written, if hostile ones get past the server", async () => {
    const crds: Resource<KubernetesObject & { spec: object }> = {
      group: "apiextensions.k8s.io",
      version: "v1",
      kind: "CustomResourceDefinition",
      plural: "customresourcedefinitions",
      namespaced: false,
    };
    const crd = crdOf("User");
    const [version] = crd.spec.versions;
    const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const openAPIV3Schema = { type: "object", properties: { spec: free, status: free } };
    const versions = [{ ...version, schema: { openAPIV3Schema }, additionalPrinterColumns: [] }];
    await fixture.direct.patch(crds, crd.metadata, { spec: { versions } });
    const [host] = start("n1");
    mkdirSync(host.at("home/shared"));
    const before = host.foreign();
    const hostile: Record<string, unknown> = {
      root: { name: "root" },
      out: { name: "../x" },
      space: { name: "a b" },
      options: { name: "eve", sshKeys: [{ key: `command="id" ${publicKey("eve")}` }] },
      control: { name: "eve2", sshKeys: [{ key: `${publicKey("eve")}\n${publicKey("eve")}` }] },
      lookalike: { name: "\u0430dmin" },
      many: { name: "eve3", sshKeys: Array(1000).fill({ key: publicKey("eve") }) },
      nothing: {},
    };
    for (const [name, spec] of Object.entries(hostile))
      await waitFor(`${name} to be taken`, () =>
        fixture.direct.create(USERS, { metadata: { name }, spec }).then(
          () => true,
          () => false,
        ),
      );
    for (const name of Object.keys(hostile))
      await waitFor(`${name} to be refused`, async () => (await ready(name)).startsWith("False "));
    expect(await ready("root")).toBe("False ReservedName");
    expect(await ready("many")).toBe("False TooManyKeys");
    expect(host.foreign()).toBe(before);
    expect(host.read("etc/passwd")).not.toMatch(/fleetwright/);
    expect(existsSync(host.at("var/lib/fleetwright"))).toBe(false);
  });
});
