import { waitFor } from "../../../lib/deadline";
import { isObject, listAt, textAt } from "../../../lib/json";
import { describeMachines } from "../testing/machine-host";
import { ClusterFixture, nodeFixture, type NodeFixture } from "./testing/cluster";

const [first, second, third, agent] = [nodeFixture(0), nodeFixture(1), nodeFixture(2), nodeFixture(3)];
const servers = [first, second, third];
const all = [...servers, agent];
const JOIN = { server: `https://${first.ip}:9345` };
const VOLUME = "vol-0c";

// That its pods reach each other is shown by test/dev-stack.test.ts.
describeMachines("a cluster of the stand-in for RKE2", () => {
  let cluster: ClusterFixture;

  beforeAll(async () => {
    cluster = await ClusterFixture.open();
    await Promise.all(all.map((node) => cluster.launch(node)));
    await cluster.machineHost.volumes.create({ id: VOLUME, sizeGiB: 2 });
    await mountState(third, true);
    await cluster.start(first, "server", {});
    await cluster.active(first);
    await cluster.start(agent, "agent", JOIN);
    for (const node of [second, third]) {
      await cluster.start(node, "server", JOIN);
      await cluster.active(node);
    }
    await cluster.ready(first, all);
  }, 600_000);
  afterAll(() => cluster.destroy());

  /** Gives a server its state from a volume: everything that makes it the member that it is. */
  async function mountState(node: NodeFixture, blank: boolean): Promise<void> {
    await cluster.machineHost.volumes.attach(VOLUME, node.id, "/dev/sdf");
    const device = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0c";
    await cluster.sh(
      node,
      `${blank ? `mkfs.ext4 -q ${device}` : ""}
mkdir -p /var/lib/rancher /etc/rancher
mount ${device} /var/lib/rancher
mkdir -p /var/lib/rancher/etc
mount --bind /var/lib/rancher/etc /etc/rancher`,
    );
  }

  test("says what it is", async () => {
    expect(await cluster.sh(first, "rke2 --version")).toContain("Fleetwright's sandbox stand-in for RKE2");
    expect(await cluster.sh(agent, "journalctl --unit rke2-agent --output cat")).toContain("it is not RKE2");
  });

  test("has every server as a voting member of etcd, by its node's name and its own address", async () => {
    const members = await cluster.members(first);
    expect(members.map((member) => member.replace(/-[0-9a-f]{8}=/, "="))).toEqual(
      servers.map(({ name, ip }) => `${name}=https://${ip}:2380`),
    );
  });

  test("says on every server's node that its etcd votes, as RKE2 does", async () => {
    const votes = async (name: string): Promise<boolean> =>
      listAt(await cluster.get(first, "node", name), "status", "conditions").some(
        (one) => textAt(one, "type") === "EtcdIsVoter" && textAt(one, "status") === "True",
      );
    for (const { name } of servers)
      await waitFor(`${name} to be called a voter`, () => votes(name), { timeoutMs: 60_000 });
  });

  test("comes back as the same member after its service is killed", async () => {
    const before = await cluster.members(second);
    await cluster.sh(first, "systemctl kill --signal=KILL --kill-whom=main rke2-server");
    await cluster.says(first, "rke2-server", /Starting etcd for existing cluster member/);
    await cluster.active(first);
    expect(await cluster.members(first)).toEqual(before);
  });

  test("comes back as the same member after its machine loses power, with what was written meanwhile", async () => {
    const before = await cluster.members(first);
    await cluster.machineHost.crash(second.id);
    await cluster.apply(first, [configMap("meanwhile")]);
    await cluster.machineHost.start(second.id);
    await cluster.active(second);
    expect(await cluster.members(second)).toEqual(before);
    expect(isObject(await cluster.get(second, "configmap", "meanwhile"))).toBe(true);
  });

  test("has the same member on a new machine with the old one's address and volume", async () => {
    const before = await cluster.members(first);
    await cluster.machineHost.crash(third.id);
    await cluster.machineHost.terminate(third.id);
    await cluster.apply(first, [configMap("in-between")]);
    const heir = nodeFixture(2, 1);
    await cluster.launch(heir);
    await mountState(heir, false);
    await cluster.sh(heir, "systemctl enable --quiet --now --no-block rke2-server");
    await cluster.active(heir);
    expect(await cluster.members(heir)).toEqual(before);
    expect(isObject(await cluster.get(heir, "configmap", "in-between"))).toBe(true);
    await cluster.ready(heir, all);
  });
});

function configMap(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}
