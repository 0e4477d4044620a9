import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTools } from "../../../../sandbox/toolchain";
import { golden } from "../testing/golden";
import { RKE_VERSIONS } from "../../../../api/kubernetes-versions";
import { rkeClusterFile, type RkeClusterFile } from "./cluster-file";

const file: RkeClusterFile = {
  clusterName: "main",
  version: "v1.30.14-rancher1-1",
  user: "fleetwright",
  port: 22,
  keyFile: "/var/lib/rancher/rke/id",
  nodes: [
    ...["10.0.48.10", "10.0.112.10", "10.0.176.10"].map((address, index) => ({
      address,
      name: `main-server-${index}`,
      role: ["controlplane", "etcd"] as const,
      labels: { "fleetwright.dev/node-pool": "servers" },
    })),
    {
      address: "10.0.48.20",
      name: "main-web-0",
      role: ["worker"],
      labels: { tier: "web" },
      taints: [{ key: "dedicated", value: "web", effect: "NoSchedule" }],
    },
  ],
  names: ["lb.example"],
  clusterCidr: "10.42.0.0/16",
  serviceCidr: "10.43.0.0/16",
  clusterDomain: "cluster.local",
  cni: "canal",
  audit: true,
  snapshots: {
    schedule: "0 * * * *",
    retention: 24,
    insecure: false,
    bucket: "acme-etcd",
    region: "eu-central-1",
  },
  registries: { logins: [{ host: "registry.example", username: "puller", password: "secret: #1" }] },
};

it("renders cluster.yml", () => {
  expect(rkeClusterFile(file)).toBe(golden("cluster.yml", rkeClusterFile(file)));
});

it.each(RKE_VERSIONS.map(({ latest }) => latest))("is accepted by the real rke, with %s", async (version) => {
  const { rke } = await ensureTools(["rke"]);
  const folder = mkdtempSync(join(tmpdir(), "fleetwright-rke-"));
  try {
    const config = join(folder, "cluster.yml");
    writeFileSync(config, rkeClusterFile({ ...file, version }));
    const { status, stdout, stderr } = spawnSync(rke.path, ["up", "--init", "--config", config], {
      encoding: "utf8",
    });
    expect(`${stdout}${stderr}`).toMatch(/Cluster state file|Successfully Deployed state file|state file/i);
    expect(status).toBe(0);
    const state = join(folder, "cluster.rkestate");
    expect(existsSync(state)).toBe(true);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    // What it understood; of the nodes it writes nothing down before it has been to them.
    expect(JSON.parse(readFileSync(state, "utf8"))).toMatchObject({
      desiredState: {
        rkeConfig: {
          clusterName: "main",
          prefixPath: "/var/lib/rancher",
          kubernetesVersion: version,
          enableCriDockerd: true,
          authentication: { sans: ["lb.example"] },
          network: { plugin: "canal" },
          services: { etcd: { uid: 52034, backupConfig: { s3BackupConfig: { bucketName: "acme-etcd" } } } },
        },
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
