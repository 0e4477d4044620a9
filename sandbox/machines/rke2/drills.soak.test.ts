import { waitFor } from "../../../lib/deadline";
import { isObject, listAt, textAt } from "../../../lib/json";
import { describeMachines } from "../testing/machine-host";
import { DEFAULT_RELEASE, EARLIER_RELEASE } from "./index";
import { ClusterFixture, nodeFixture } from "./testing/cluster";

const [first, second, third, agent] = [nodeFixture(0), nodeFixture(1), nodeFixture(2), nodeFixture(3)];
const servers = [first, second, third];
const all = [...servers, agent];
const JOIN = { server: `https://${first.ip}:9345` };
const DATABASE = "/var/lib/rancher/rke2/server/db";

/** Longer drills, in one story; each goes on from the state in which the one before left the cluster. */
describeMachines("a cluster of the stand-in for RKE2, in the course of its life", () => {
  let cluster: ClusterFixture;

  beforeAll(async () => {
    cluster = await ClusterFixture.open([EARLIER_RELEASE, DEFAULT_RELEASE]);
    await Promise.all(all.map((node) => cluster.launch(node, EARLIER_RELEASE)));
    await cluster.start(first, "server", {});
    await cluster.active(first);
    await cluster.start(agent, "agent", JOIN);
    for (const node of [second, third]) {
      await cluster.start(node, "server", JOIN);
      await cluster.active(node);
    }
    await cluster.ready(first, all);
  }, 900_000);
  afterAll(() => cluster.destroy(), 60_000);

  const versions = async (): Promise<string[]> =>
    listAt(await cluster.get(first, "nodes"), "items")
      .map(
        (node) =>
          `${textAt(node, "metadata", "name") ?? ""} ${textAt(node, "status", "nodeInfo", "kubeletVersion") ?? ""}`,
      )
      .sort();

  test("is upgraded by one minor version, one node after another, and stays the same cluster", async () => {
    const before = await cluster.members(first);
    expect(new Set((await versions()).map((line) => line.split(" ")[1]))).toEqual(
      new Set([kubernetes(EARLIER_RELEASE)]),
    );
    for (const node of all) {
      const role = servers.includes(node) ? "server" : "agent";
      await cluster.install(node, DEFAULT_RELEASE);
      await cluster.sh(node, `systemctl restart --no-block rke2-${role}`);
      await waitFor(
        `${node.name} to run the new version`,
        async () =>
          (await versions()).includes(`${node.name} ${kubernetes(DEFAULT_RELEASE)}`) ||
          (await versions()).join(", "),
        { timeoutMs: 180_000, intervalMs: 500 },
      );
      await cluster.active(node, role);
    }
    await cluster.ready(first, all);
    expect(await cluster.members(first)).toEqual(before);
  }, 900_000);

  test("lets go of the member of a server whose node is deleted, and takes the server in again", async () => {
    await cluster.sh(third, "systemctl stop rke2-server");
    await cluster.kubectl(first, ["delete", "node", third.name]);
    const gone = async (): Promise<true | string> => {
      const members = await cluster.members(first);
      return members.every((member) => !member.startsWith(third.name)) || members.join(", ");
    };
    await waitFor("the member to be removed", gone, { timeoutMs: 60_000, intervalMs: 500 });
    await cluster.sh(third, `rm -rf ${DATABASE} /etc/rancher/node; systemctl restart --no-block rke2-server`);
    await cluster.active(third);
    await cluster.ready(first, all);
    expect(await cluster.members(first)).toHaveLength(3);
  }, 600_000);

  test("removes a member that is asked for by annotation, and the server joins anew at its next start", async () => {
    const before = await cluster.members(first);
    await cluster.kubectl(first, ["annotate", "node", second.name, "etcd.rke2.cattle.io/remove=true"]);
    const removed = async (): Promise<true | string> => {
      const node = await cluster.get(first, "node", second.name);
      const name = textAt(node, "metadata", "annotations", "etcd.rke2.cattle.io/removed-node-name");
      return before.some((member) => member.startsWith(`${name ?? "?"}=`)) || "not yet";
    };
    await waitFor("the member to be removed", removed, { timeoutMs: 60_000, intervalMs: 500 });
    await cluster.kubectl(first, ["annotate", "node", second.name, "etcd.rke2.cattle.io/remove-"]);
    await cluster.says(second, "rke2-server", /tombstone file has been detected/);
    await waitFor(
      "three members, one of them new",
      async () => {
        const now = await cluster.members(first);
        return (now.length === 3 && now.join() !== before.join()) || now.join(", ");
      },
      { timeoutMs: 180_000, intervalMs: 1000 },
    );
  }, 600_000);

  test("survives on a snapshot: one server goes back to it, the others join anew", async () => {
    await cluster.apply(first, [configMap("before")]);
    await cluster.sh(first, "rke2 etcd-snapshot save --name=drill");
    const [name = ""] = /drill-server-0-\d+/.exec(await cluster.sh(first, "rke2 etcd-snapshot list")) ?? [];
    await cluster.apply(first, [configMap("after")]);
    await Promise.all(servers.map((node) => cluster.sh(node, "systemctl stop rke2-server")));
    const flags = ["--cluster-reset", `--cluster-reset-restore-path=${DATABASE}/snapshots/${name}`];
    const { code, stderr } = await cluster.foreground(first, "server", {}, ...flags);
    expect(stderr).toContain("Managed etcd cluster membership has been reset");
    expect(code).toBe(0);
    await cluster.start(first, "server", {});
    await cluster.active(first);
    expect(await cluster.members(first)).toHaveLength(1);
    for (const node of [second, third]) {
      await cluster.sh(node, `rm -rf ${DATABASE}; systemctl restart --no-block rke2-server`);
      await cluster.active(node);
    }
    await cluster.ready(third, all);
    expect(await cluster.members(third)).toHaveLength(3);
    expect(isObject(await cluster.get(third, "configmap", "before"))).toBe(true);
    await expect(cluster.get(third, "configmap", "after")).rejects.toThrow("NotFound");
  }, 900_000);

  test("runs hardened on a machine that is prepared for it, with etcd as a user of its own", async () => {
    const hardened = nodeFixture(4);
    await cluster.launch(hardened);
    await cluster.sh(
      hardened,
      `useradd -r -c "etcd user" -s /sbin/nologin -M etcd -U
cp /usr/local/share/rke2/rke2-cis-sysctl.conf /etc/sysctl.d/60-rke2-cis.conf
systemctl restart systemd-sysctl`,
    );
    await cluster.start(hardened, "server", { profile: "cis" });
    await cluster.active(hardened);
    await cluster.ready(hardened, [hardened]);
    expect(await cluster.sh(hardened, "ps -o user= -C etcd")).toBe("etcd\n");
    const { stderr } = await cluster.kubectl(hardened, [
      "run",
      "root",
      "--image=fleetwright.dev/pause:1",
      "--privileged",
    ]);
    expect(stderr).toContain('violates PodSecurity "restricted:latest"');
  }, 600_000);
});

function kubernetes(release: string): string {
  return release.replace(/\+.*$/, "");
}

function configMap(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}
