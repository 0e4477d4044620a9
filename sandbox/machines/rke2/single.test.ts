import { isObject } from "../../../lib/json";
import { describeMachines } from "../testing/machine-host";
import { ClusterFixture, nodeFixture, TEST_TOKEN } from "./testing/cluster";

const [first, spare] = [nodeFixture(0), nodeFixture(1)];
const AGENT_TOKEN = "only-for-agents";
const CONFIG = {
  "agent-token": AGENT_TOKEN,
  "write-kubeconfig-mode": "0640",
  "tls-san": ["api.example.com"],
};
const JOIN = { ...CONFIG, server: `https://${first.ip}:9345` };
const SNAPSHOTS = "/var/lib/rancher/rke2/server/db/snapshots";

describeMachines("a single server of the stand-in for RKE2", () => {
  let cluster: ClusterFixture;

  beforeAll(async () => {
    cluster = await ClusterFixture.open();
    await Promise.all([first, spare].map((node) => cluster.launch(node)));
    await cluster.start(first, "server", CONFIG);
    await cluster.active(first);
  }, 600_000);
  afterAll(() => cluster.destroy());

  /** Restarts the server as it was and waits for it. */
  async function restart(): Promise<void> {
    await cluster.start(first, "server", CONFIG);
    await cluster.active(first);
  }

  test("becomes a ready node", async () => {
    await cluster.ready(first, [first]);
  });

  test("lays out its files as RKE2 does", async () => {
    const files = [
      "/etc/rancher/rke2/rke2.yaml",
      "/etc/rancher/node/password",
      ...[
        "bin/kubectl",
        "server/token",
        "server/node-token",
        "server/agent-token",
        "server/db/etcd/name",
      ].map(inData),
      ...["server/db/etcd/config", "server/tls/server-ca.crt", "server/tls/etcd/peer-ca.key"].map(inData),
      ...["server/cred/encryption-config.json", "server/manifests/rke2-coredns.json"].map(inData),
      ...["agent/kubelet.kubeconfig", "agent/etc/containerd/config.toml"].map(inData),
    ];
    await cluster.sh(first, `stat --format=%a ${files.join(" ")}`);
    expect(await cluster.sh(first, `stat --format=%a ${files[0] ?? ""} ${inData("server/token")}`)).toBe(
      "640\n600\n",
    );
    const token = await cluster.sh(first, `cat ${inData("server/node-token")}`);
    const digest = await cluster.sh(first, `sha256sum <${inData("server/tls/server-ca.crt")}`);
    expect(token).toBe(`K10${digest.split(" ")[0] ?? ""}::server:${TEST_TOKEN}\n`);
  });

  test("answers /ping and /cacerts to everybody, and the rest only to those who have the token", async () => {
    const curl = (path: string, more = ""): Promise<string> =>
      cluster.sh(
        spare,
        `curl -sk -o /tmp/answer -w '%{http_code} ' ${more} https://${first.ip}:9345${path}; head -c 27 /tmp/answer`,
      );
    expect(await curl("/ping")).toBe("200 pong");
    expect(await curl("/cacerts")).toBe("200 -----BEGIN CERTIFICATE-----");
    expect(await curl("/v1-rke2/readyz")).toBe("401 Unauthorized");
    expect(await curl("/v1-rke2/readyz", `-u node:${AGENT_TOKEN}`)).toBe("200 ok");
    expect(await curl("/v1-rke2/server-bootstrap", `-u node:${AGENT_TOKEN}`)).toBe("403 Forbidden");
  });

  test.each<[string, "server" | "agent", Record<string, unknown>, RegExp]>([
    ["an unknown key", "server", { tokn: "x" }, /level=fatal msg="Unknown flag --tokn found in config\.yaml/],
    ["an agent without a server", "agent", {}, /level=fatal msg="--server is required"/],
    ["a wrong token", "server", { ...JOIN, token: "wrong" }, /level=fatal .*401 Unauthorized/],
    ["the agents' token", "server", { ...JOIN, token: AGENT_TOKEN }, /level=fatal .*401 Unauthorized/],
    [
      "a token of another cluster",
      "agent",
      { server: JOIN.server, token: `K10${"0".repeat(64)}::server:${TEST_TOKEN}` },
      /level=fatal .*token CA hash does not match the Cluster CA certificate hash: 0{64} != /,
    ],
    [
      "other ranges than the cluster's",
      "server",
      { ...JOIN, "service-cidr": "10.96.0.0/16" },
      /level=fatal .*critical configuration value mismatch between servers: cluster-dns \(.*service-cidr/,
    ],
    [
      "the name of a server that is there",
      "server",
      { ...JOIN, "node-name": first.name },
      /level=fatal .*duplicate node name found/,
    ],
    [
      "a hardened profile on a machine that is not",
      "server",
      { ...JOIN, profile: "cis" },
      /level=fatal .*unknown user etcd/,
    ],
  ])("refuses %s", async (_, role, config, words) => {
    const { code, stderr } = await cluster.foreground(spare, role, config);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain(TEST_TOKEN);
    expect(code).toBe(1);
    await cluster.sh(spare, "rm -rf /var/lib/rancher/rke2/server");
  });

  test("does not let a node take the name of another", async () => {
    await cluster.start(spare, "agent", { server: JOIN.server, token: AGENT_TOKEN, "node-name": first.name });
    await cluster.says(spare, "rke2-agent", /403 Forbidden: Node password rejected, duplicate hostname/);
    await cluster.sh(spare, "systemctl stop rke2-agent");
  });

  test("is the member that it was, whatever `server` says", async () => {
    const before = await cluster.members(first);
    await cluster.start(first, "server", { ...CONFIG, server: "https://10.0.9.9:9345" });
    await cluster.active(first);
    expect(await cluster.members(first)).toEqual(before);
  });

  test("refuses to run with its data at another address", async () => {
    await cluster.sh(first, "systemctl stop rke2-server; ip address add 10.0.1.99/24 dev eth0");
    const { code, stderr } = await cluster.foreground(first, "server", { ...CONFIG, "node-ip": "10.0.1.99" });
    expect(stderr).toMatch(
      /this server is a not a member of the etcd cluster\. Found \[server-0-[0-9a-f]{8}=https:\/\/10\.0\.1\.10:2380\], expect: server-0-[0-9a-f]{8}=10\.0\.1\.99/,
    );
    expect(code).toBe(1);
    await cluster.sh(first, "ip address del 10.0.1.99/24 dev eth0");
  });

  test("refuses to run with its data and another token", async () => {
    const { code, stderr } = await cluster.foreground(first, "server", { ...CONFIG, token: "changed" });
    expect(stderr).toContain("bootstrap data already found and encrypted with different token");
    expect(code).toBe(1);
    await restart();
  });

  test("goes back to a snapshot, on the same machine and with the token on another one", async () => {
    await cluster.apply(first, [configMap("before")]);
    await cluster.sh(first, "rke2 etcd-snapshot save --name drill");
    const listed = await cluster.sh(first, "rke2 etcd-snapshot list");
    const [name = ""] = /drill-server-0-\d+/.exec(listed) ?? [];
    await cluster.apply(first, [configMap("after")]);
    await cluster.sh(first, "systemctl stop rke2-server");
    const flags = ["--cluster-reset", `--cluster-reset-restore-path=${SNAPSHOTS}/${name}`];
    const { stderr } = await cluster.foreground(first, "server", CONFIG, ...flags);
    expect(stderr).toContain(
      "Managed etcd cluster membership has been reset, restart without --cluster-reset flag now",
    );
    const again = await cluster.foreground(first, "server", CONFIG, ...flags);
    expect(again.stderr).toContain(
      "cluster-reset was successfully performed, please remove the --cluster-reset flag",
    );
    await restart();
    expect(isObject(await cluster.get(first, "configmap", "before"))).toBe(true);
    await expect(cluster.get(first, "configmap", "after")).rejects.toThrow("NotFound");

    const copied = await cluster.sh(first, `base64 -w0 ${SNAPSHOTS}/${name}`);
    await cluster.machineHost
      .inside(spare.id)
      .run(["sh", "-c", "base64 -d >/root/snapshot"], { stdin: copied });
    const elsewhere = ["--cluster-reset", "--cluster-reset-restore-path=/root/snapshot"];
    const wrong = await cluster.foreground(spare, "server", { ...CONFIG, token: "wrong" }, ...elsewhere);
    expect(wrong.stderr).toContain("bootstrap data already found and encrypted with different token");
    const right = await cluster.foreground(spare, "server", CONFIG, ...elsewhere);
    expect(right.stderr).toContain("Managed etcd cluster membership has been reset");
    const authority = `sha256sum <${inData("server/tls/server-ca.crt")}`;
    expect(await cluster.sh(spare, authority)).toBe(await cluster.sh(first, authority));
  });
});

function inData(file: string): string {
  return `/var/lib/rancher/rke2/${file}`;
}

function configMap(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
}
