import { everyCluster, notNamed, selfManaged } from "../docs/generate/permissions";
import { parseJson } from "../sandbox/json";
import { describeMachines } from "../sandbox/machines/trial-hall";
import {
  echoObjects,
  echoProgram,
  importEchoImage,
  removeEchoImage,
} from "../sandbox/machines/rke2/trial-echo";
import { ClusterCloud } from "./drills/cluster-cloud";

/** The promise is five minutes on a machine that does nothing else; tests share theirs. */
const PROMISE_MS = 300_000;

describeMachines("the stack dev", () => {
  let cluster: ClusterCloud;
  jest.setTimeout(3 * PROMISE_MS);

  beforeAll(async () => {
    cluster = await ClusterCloud.open();
  });
  afterAll(async () => {
    await cluster.close();
    await removeEchoImage();
  });

  test("comes up from nothing: three servers and two pools, all nodes Ready", async () => {
    const began = Date.now();
    expect(Object.keys(await cluster.up())).toEqual(["create"]);
    const took = Date.now() - began;
    process.stdout.write(`the stack dev came up in ${(took / 1000).toFixed(0)} s\n`);
    const nodes = await cluster.nodes();
    expect(nodes.map(({ pool, isReady }) => `${pool} ${isReady ? "Ready" : "not ready"}`).sort()).toEqual([
      "batch Ready",
      "servers Ready",
      "servers Ready",
      "servers Ready",
      "web Ready",
      "web Ready",
    ]);
    expect(took).toBeLessThan(2 * PROMISE_MS);
  });

  test("shows no change in a second update", async () => {
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
  });

  test("asked of AWS nothing that docs/reference/permissions.md does not name", () => {
    const { ledger } = cluster.cloud.aws;
    expect(ledger.entries().map(({ action }) => action)).toContain("RunInstances");
    expect(notNamed(ledger.entries(), [everyCluster, selfManaged])).toEqual([]);
  });

  test("runs a pod on every node that reaches all others by address and through the service's name", async () => {
    const machines = await cluster.hall.list();
    await Promise.all(machines.map(({ id }) => importEchoImage(cluster.hall, id)));
    await cluster.apply(echoObjects());
    await cluster.readyPods("k8s-app=kube-dns", 1);
    const pods = await cluster.readyPods("app=echo", machines.length);
    const nodes = (await cluster.nodes()).map(({ name }) => name).sort();
    expect(pods.map(({ node }) => node).sort()).toEqual(nodes);
    const program = echoProgram(pods.map(({ ip }) => ip));
    for (const { name } of pods) {
      const { stdout, stderr } = await cluster.kubectl(["exec", name, "--", "/usr/bin/node", "-e", program]);
      expect([name, parseJson(stdout), stderr]).toEqual([name, { pods: nodes, service: nodes }, ""]);
    }
  });
});
