import { StopInstancesCommand, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { openAwsFixture, type AwsFixture } from "../../../sandbox/aws/testing/aws-fixture";
import {
  startCoordinatorFixture,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { isNotFound } from "../../runtime";
import { NODES } from "../native-resources";
import { nodesWith, type NodesTiming } from ".";
import { CloudFront, NO_INSTANCES } from "./testing/cloud-front";

let cloud: AwsFixture;
let cluster: CoordinatorFixture;
let front: CloudFront;
let running: Running | undefined;

beforeAll(async () => {
  [cloud, cluster] = await Promise.all([
    openAwsFixture({ timing: { instance: 0 } }),
    startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } }),
  ]);
}, 300_000);
afterAll(async () => {
  await cluster.close();
  await cloud.stop();
});
beforeEach(async () => {
  front = await CloudFront.start(cloud.aws.endpoint);
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await front.stop();
  await cluster.direct.request({ method: "DELETE", path: "/api/v1/nodes" });
});

const SOON: NodesTiming = { notReadyMs: 200, confirmMs: 100, existsMs: 100, windowMs: 3_600_000, most: 5 };

async function start(timing: Partial<NodesTiming> = {}): Promise<Running> {
  const env = { ...cloud.aws.environment, AWS_ENDPOINT_URL: front.url };
  const definition = nodesWith({ env, now: () => Date.now() }, { ...SOON, ...timing });
  running = await cluster.start({ controllers: "*", definitions: [definition] });
  return running;
}

async function node(
  name: string,
  ready: boolean,
  { id, zone = "eu-central-1a", labels = {} }: { id: string; zone?: string; labels?: Record<string, string> },
): Promise<void> {
  const providerID = id.startsWith("i-") ? `aws:///${zone}/${id}` : id;
  await cluster.direct.create(NODES, { metadata: { name, labels }, spec: { providerID } });
  await set(name, ready);
}
const set = (name: string, ready: boolean): Promise<unknown> =>
  cluster.direct.patch(
    NODES,
    { name },
    { status: { conditions: [{ type: "Ready", status: ready ? "True" : "Unknown" }] } },
    { subresource: "status" },
  );
const isThere = (name: string): Promise<boolean> =>
  cluster.direct.get(NODES, { name }).then(
    () => true,
    (error: unknown) => !isNotFound(error),
  );
const goes = (name: string): Promise<unknown> => waitFor(`${name} to go`, async () => !(await isThere(name)));
/** The cloud was asked so often again that whatever was to happen has happened. */
async function askedAgain(times = 4): Promise<void> {
  const from = front.questions().list;
  await waitFor("the cloud to be asked again", () => front.questions().list >= from + times);
}
async function terminated(): Promise<string> {
  const id = await cloud.run();
  await cloud.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  return id;
}
/** An id that EC2 knows no more, as it forgets terminated instances after about an hour. */
const FORGOTTEN = "i-0f0f0f0f0f0f0f0f0";

test("nodes whose machine is terminated, or forgotten by EC2, go; all others stay", async () => {
  const [alive, silent, stopped] = [await cloud.run(), await cloud.run(), await cloud.run()];
  await cloud.ec2.send(new StopInstancesCommand({ InstanceIds: [stopped] }));
  await node("alive", true, { id: alive });
  await node("silent", false, { id: silent });
  await node("stopped", false, { id: stopped });
  await node("elsewhere", false, { id: "rke2://elsewhere" });
  await node("spare", true, { id: "rke2://spare" });
  await node("terminated", false, { id: await terminated() });
  await node("forgotten", false, { id: FORGOTTEN });
  const one = await start();
  await goes("terminated");
  await goes("forgotten");
  await askedAgain();
  for (const name of ["alive", "silent", "stopped", "elsewhere", "spare"])
    expect(await isThere(name)).toBe(true);
  expect(one.writes().sort()).toEqual(["DELETE /api/v1/nodes/forgotten", "DELETE /api/v1/nodes/terminated"]);
  // Twice by a list, and then each by its own id.
  expect(front.questions().single).toBe(2);
  expect(one.lines.filter((line) => line.includes("rke2://elsewhere"))).toHaveLength(1);
  const { items } = await cluster.direct.request<{
    items: { reason: string; regarding: { name: string } }[];
  }>({
    method: "GET",
    path: "/apis/events.k8s.io/v1/namespaces/default/events",
  });
  expect(
    items.filter(({ reason }) => reason === "MachineGone").map(({ regarding }) => regarding.name),
  ).toEqual(expect.arrayContaining(["terminated", "forgotten"]));
});

test("a node of the control plane is reported and left alone", async () => {
  await node("alive", true, { id: await cloud.run() });
  const labels = { "node-role.kubernetes.io/control-plane": "true" };
  await node("server", false, { id: await terminated(), labels });
  const one = await start();
  await waitFor("the event", async () => {
    const { items } = await cluster.direct.request<{
      items: { note: string; regarding: { name: string } }[];
    }>({
      method: "GET",
      path: "/apis/events.k8s.io/v1/namespaces/default/events",
    });
    return items.some(({ regarding, note }) => regarding.name === "server" && note.includes("etcd member"));
  });
  await askedAgain();
  expect(await isThere("server")).toBe(true);
  expect(one.writes()).toEqual([]);
});

test("an account, or a region, that knows none of the nodes' machines is not believed", async () => {
  // As with credentials of another account: EC2 knows neither.
  await node("alive", true, { id: "i-0123456789abcdef0", zone: "us-east-1a" });
  await node("lost", false, { id: FORGOTTEN, zone: "us-east-1a" });
  await start();
  await askedAgain();
  expect(await isThere("lost")).toBe(true);
});

test("a machine that EC2 leaves out of a list or two is not gone", async () => {
  const [alive, hidden] = [await cloud.run(), await cloud.run()];
  await node("alive", true, { id: alive });
  await node("hidden", false, { id: hidden });
  let lists = 0;
  // Not listed in two answers of three, while the machine that bears witness always is.
  front.trouble = (query) => {
    if (query.has("InstanceId.1") || lists++ % 3 === 2) return undefined;
    const item = `<instanceId>${alive}</instanceId><instanceState><name>running</name></instanceState>`;
    return Promise.resolve(
      NO_INSTANCES.replace("<reservationSet/>", `<reservationSet>${item}</reservationSet>`),
    );
  };
  const one = await start();
  await waitFor("it to be asked about by its own id", () => front.questions().single > 1);
  expect(await isThere("hidden")).toBe(true);
  expect(one.writes()).toEqual([]);
});

test("more than half of the nodes at once is no loss to be tidied up unseen", async () => {
  await node("alive", true, { id: await cloud.run() });
  for (const name of ["one", "two"]) await node(name, false, { id: await terminated() });
  const one = await start();
  await waitFor("it to be reported", () =>
    one.lines.some((line) => line.includes("kubectl delete node one two")),
  );
  await askedAgain();
  expect(one.writes()).toEqual([]);
});

test("only so many nodes go within a while", async () => {
  await node("alive", true, { id: await cloud.run() });
  for (const name of ["r1", "r2", "r3"]) await node(name, true, { id: `rke2://${name}` });
  for (const name of ["one", "two", "three"]) await node(name, false, { id: await terminated() });
  const one = await start({ most: 2 });
  await waitFor("two to go", () => one.writes().length === 2);
  await askedAgain();
  expect(one.writes()).toHaveLength(2);
});

test("a node that is Ready again right before it would go stays", async () => {
  await node("alive", true, { id: await cloud.run() });
  await node("back", false, { id: await terminated() });
  front.trouble = (query) =>
    query.has("InstanceId.1") ? set("back", true).then(() => undefined) : undefined;
  const { proxy } = await start();
  await waitFor("the delete", () => proxy.seen.some(({ method }) => method === "DELETE"));
  await waitFor("it to be heard", () => front.questions().single === 1);
  expect(await isThere("back")).toBe(true);
});

test("whoever may not ask EC2 removes nothing, and says so once", async () => {
  await node("alive", true, { id: await cloud.run() });
  await node("lost", false, { id: await terminated() });
  cloud.aws.faults.add({
    action: "DescribeInstances",
    effect: { kind: "error", code: "UnauthorizedOperation", message: "You are not authorized.", status: 403 },
  });
  const one = await start();
  await askedAgain();
  expect(one.lines.filter((line) => line.includes("You are not authorized"))).toHaveLength(1);
  expect(one.writes()).toEqual([]);
  cloud.aws.faults.clear();
  await goes("lost");
});
