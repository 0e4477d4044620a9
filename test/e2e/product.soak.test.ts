import { waitFor } from "../../lib/deadline";
import { listAt, textAt } from "../../lib/json";
import { PAUSE_IMAGE } from "../../sandbox/machines/images/pause-name";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import { ClusterCloud, isReadyPod } from "../harness/cluster-cloud";

/** Settings that the coordinator and the agents act on. */
const ACTED_ON = ["users", "registries", "registryCredentials", "nodeLabels", "plugins", "roles", "bindings"];

function clear(config: Record<string, unknown>): void {
  for (const name of ACTED_ON) Reflect.deleteProperty(config, `fleetwright:${name}`);
}

describeMachines("the stack dev with our own programs in it", () => {
  let cluster: ClusterCloud;
  jest.setTimeout(1_200_000);

  beforeAll(async () => {
    cluster = await ClusterCloud.open({ programs: true });
    await cluster.program.configure(clear);
    await cluster.up();
  });
  afterAll(() => cluster.close());

  test("shows no change in a second update, nor in a refresh", async () => {
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
    expect(Object.keys(await cluster.program.changes("refresh"))).toEqual(["same"]);
  });

  test("runs the coordinator twice, and the agent on every node", async () => {
    const nodes = await cluster.nodes();
    await cluster.readyPods("app.kubernetes.io/name=fleetwright-coordinator", 2);
    const agents = await cluster.readyPods("app.kubernetes.io/name=fleetwright-agent", nodes.length);
    expect(agents.map(({ node }) => node).sort()).toEqual(nodes.map(({ name }) => name).sort());
  });

  describe("with a user, a registry, labels, a plugin and a role in its file", () => {
    const login = async (): Promise<boolean> => {
      const key = cluster.program.engine.path("key");
      const options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes"];
      const [{ privateIp } = { privateIp: "" }] = await cluster.machineHost.list();
      const words = ["-i", key, ...options.flatMap((option) => ["-o", option]), `jane@${privateIp}`, "true"];
      return (await cluster.machineHost.exec(["ssh", ...words])).code === 0;
    };
    const mayListPods = async (): Promise<boolean> =>
      (await cluster.kubectl(["auth", "can-i", "list", "pods", "--as", "jane"])).code === 0;
    const labelled = async (): Promise<number> =>
      listAt(await cluster.get("nodes", "--selector", "cluster.fleetwright.dev/tier=gold"), "items").length;
    const pullSecrets = async (): Promise<number> =>
      listAt(await cluster.get("secrets", "--namespace", "shop"), "items").filter(
        (secret) => textAt(secret, "type") === "kubernetes.io/dockerconfigjson",
      ).length;
    const samplePods = async (): Promise<number> =>
      listAt(await cluster.get("pods", "--namespace", "fleetwright-plugins"), "items").filter(isReadyPod)
        .length;
    const facts = async (): Promise<object> => ({
      login: await login(),
      mayListPods: await mayListPods(),
      labelled: await labelled(),
      pullSecrets: await pullSecrets(),
      samplePods: await samplePods(),
    });
    const becomes = async (wanted: object): Promise<void> => {
      await waitFor(
        JSON.stringify(wanted),
        async () => {
          const found = JSON.stringify(await facts());
          return found === JSON.stringify(wanted) || found;
        },
        { timeoutMs: 120_000, intervalMs: 500 },
      );
    };

    test("does what it says, for what is there and for what comes later", async () => {
      await cluster.kubectl(["create", "namespace", "shop"]);
      const key = cluster.program.engine.path("key");
      await cluster.machineHost.exec([
        "ssh-keygen",
        "-q",
        "-t",
        "ed25519",
        "-N",
        "",
        "-C",
        "jane",
        "-f",
        key,
      ]);
      const { stdout: publicKey } = await cluster.machineHost.exec(["cat", `${key}.pub`]);
      await cluster.program.configure((config) => {
        config["fleetwright:users"] = [{ name: "jane", sshKeys: [{ key: publicKey.trim() }] }];
        config["fleetwright:registries"] = [{ name: "github", provider: "github", endpoint: "ghcr.io" }];
        config["fleetwright:registryCredentials"] = { github: { username: "robot", password: "hush" } };
        config["fleetwright:nodeLabels"] = { cluster: { tier: "gold" } };
        // The images that the catalogue names are not to be had here.
        config["fleetwright:plugins"] = [
          { name: "sample", bundled: "sample", values: { image: PAUSE_IMAGE }, jobs: {} },
        ];
        config["fleetwright:roles"] = [
          { name: "viewer", rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }] },
        ];
        config["fleetwright:bindings"] = [{ role: "viewer", user: "jane" }];
      });
      expect(await cluster.up()).toMatchObject({ create: 7 });
      await becomes({ login: true, mayListPods: true, labelled: 6, pullSecrets: 1, samplePods: 2 });
    });

    test("takes all of it back when it is taken out of the file", async () => {
      await cluster.program.configure(clear);
      expect(await cluster.up()).toMatchObject({ delete: 7 });
      await becomes({ login: false, mayListPods: false, labelled: 0, pullSecrets: 0, samplePods: 0 });
    });
  });

  const destroyed = async (): Promise<void> => {
    await cluster.program.changes("destroy");
    expect(await cluster.machineHost.list()).toEqual([]);
    expect(await cluster.machineHost.volumes.list()).toEqual([]);
    expect(cluster.machineHost.networkServices.loadBalancers()).toEqual([]);
  };

  test("leaves nothing when it is destroyed", destroyed);

  test("leaves nothing either when its servers are dead before it is destroyed", async () => {
    await cluster.up();
    for (const name of ["dev-server-0", "dev-server-1", "dev-server-2"])
      await cluster.machineHost.crash(await cluster.machine(name));
    await destroyed();
  });
});
