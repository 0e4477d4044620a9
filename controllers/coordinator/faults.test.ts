import { closeSync, openSync } from "node:fs";
import { Replicas, startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { ApiError } from "../runtime";
import { CLUSTER_LABELS, REGISTRIES } from "./kinds";
import { NODES, SECRETS } from "./native-resources";

// Rows of the fault matrix that strike the process as a whole; docs/fault-matrix.md says where the others are.

let fixture: CoordinatorFixture;
let replicas: Replicas;
let count = 0;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  replicas = await Replicas.prepare(fixture);
  await fixture.direct.create(NODES, { metadata: { name: "node" } });
  await fixture.direct.create(SECRETS, {
    metadata: { namespace: fixture.home, name: "login" },
    data: { username: "YQ==", password: "Yg==" },
  });
});
afterEach(async () => {
  await Promise.all(replicas.all.map((replica) => replica.kill()));
  await replicas.freeLease();
});
afterAll(async () => {
  await replicas.close();
  await fixture.close();
});

async function post(plural: string, kind: string, name: string, spec: object): Promise<void> {
  const body = { apiVersion: "fleetwright.dev/v1", kind, metadata: { name }, spec };
  await fixture.direct.request({ method: "POST", path: `/apis/fleetwright.dev/v1/${plural}`, body });
}

/** Declares a label and a Registry and waits until both are where they should be. */
async function works(): Promise<void> {
  const name = `fault-${(count += 1)}`;
  await post("clusterlabels", "ClusterLabel", name, { key: name, value: "x" });
  const credentials = { name: "login" };
  await post("registries", "Registry", name, { provider: "basic", endpoint: "r.example.com", credentials });
  await waitFor(
    `${name} to be in place`,
    async () => {
      const found = await Promise.all([
        fixture.direct.get(CLUSTER_LABELS, { name }),
        fixture.direct.get(REGISTRIES, { name }),
      ]);
      return found.every(({ status }) =>
        status?.conditions?.some((one) => one.type === "Ready" && one.status === "True"),
      );
    },
    90_000,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${replicas.all.at(-1)?.lines.slice(-20).join("\n") ?? ""}`);
  });
  expect((await fixture.direct.get(NODES, { name: "node" })).metadata.labels).toMatchObject({
    [`cluster.fleetwright.dev/${name}`]: "x",
  });
}

test("row 28: while a part of the API does not answer, all that is ours works", async () => {
  const name = "v1beta1.broken.example.com";
  await fixture.direct.request({
    method: "POST",
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    body: {
      metadata: { name },
      spec: {
        group: "broken.example.com",
        version: "v1beta1",
        service: { namespace: "default", name: "nobody", port: 443 },
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  });
  // The server takes a while to know of it.
  await waitFor("the API to be down", async () => {
    const asked = fixture.direct.request({ method: "GET", path: "/apis/broken.example.com/v1beta1" });
    const answer: unknown = await asked.catch((error: unknown) => error);
    return answer instanceof ApiError && answer.code === 503;
  });
  const replica = replicas.start("discovery");
  await replicas.leads("discovery");
  await works();
  expect(replica.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await fixture.direct.request({
    method: "DELETE",
    path: `/apis/apiregistration.k8s.io/v1/apiservices/${name}`,
  });
});

test("row 30: with hardly any file handles it gets there, and says what it lacks", async () => {
  // Node itself needs two dozen; what is left is far less than the connections that it would like to have.
  const through = ["/bin/sh", "-c", 'ulimit -n 40; exec "$@"', "sh"];
  const replica = replicas.start("handles", [], { through });
  await replicas.leads("handles");
  await works();
  expect(replica.child.exitCode).toBeNull();
});

test("row 30: with a full disk under its log it goes on", async () => {
  const full = openSync("/dev/full", "w");
  const replica = replicas.start("full", [], { stdout: full });
  closeSync(full);
  await replicas.leads("full");
  await works();
  expect(replica.child.exitCode).toBeNull();
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)(
  "row 30: on a file system that cannot be written it works",
  async () => {
    const script = 'mount -o remount,bind,ro / && ! touch /etc/written 2>/dev/null && exec "$@"';
    const through = ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh"];
    replicas.start("readonly", [], { through });
    await replicas.leads("readonly");
    await works();
  },
  150_000,
);

test("row 35: with 128 MB of heap it does all its work", async () => {
  replicas.start("small", [], { node: ["--max-old-space-size=128"] });
  await replicas.leads("small");
  await works();
});
