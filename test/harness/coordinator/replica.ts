import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { load, loadAll } from "js-yaml";
import { bundleCoordinator } from "../../../scripts/images/programs";
import type { Role } from "../../../controllers/app/rules";
import { LEASES } from "../../../controllers/runtime";
import { identify, residentBytes } from "../../../lib/process";
import { waitFor, type FaultPlan, type FaultProxy } from "../fault-proxy";
import type { CoordinatorFixture } from "./fixture";

const ROOT = path.resolve(__dirname, "../../..");
const USER = "system:serviceaccount:fleetwright-system:fleetwright-coordinator";

/** A coordinator that runs as in its pod: the bundle in a process of its own. */
export class Replica {
  readonly lines: string[] = [];

  constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      let rest = "";
      stream?.on("data", (chunk: Buffer) => {
        const [last = "", ...whole] = (rest + chunk.toString()).split("\n").reverse();
        rest = last;
        this.lines.push(...whole.reverse().filter((line) => line !== ""));
      });
    }
  }

  /** How it ended: its code, or the signal that killed it. */
  exit(): Promise<number | string | null> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null)
      return Promise.resolve(child.exitCode ?? child.signalCode);
    return new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  }

  /** Bytes that are resident, by the kernel's account. */
  resident(): number {
    const identity = identify(this.child.pid ?? 0);
    return (identity && residentBytes(identity)) ?? NaN;
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit();
  }
}

/** How a replica is started. */
export interface ReplicaOptions {
  /** Words before Node's own: a shell that sets limits, for example. The command is its last arguments. */
  through?: readonly string[];
  /** Flags of Node. */
  node?: readonly string[];
  /** Path of the kubeconfig it uses; by default that of its own user. */
  kubeconfig?: string;
  /** Where its output goes; by default into `lines`. */
  stdout?: number;
}

/** Starts replicas of the coordinator with exactly the committed roles and nothing else. */
export class Replicas {
  readonly #all: Replica[] = [];

  private constructor(
    readonly fixture: CoordinatorFixture,
    readonly dir: string,
    readonly kubeconfig: string,
  ) {}

  /** Bundles the coordinator and gives its user the committed roles. */
  static async prepare(fixture: CoordinatorFixture): Promise<Replicas> {
    const dir = await mkdtemp(path.join(tmpdir(), "fleetwright-coordinator-"));
    await Promise.all([bundleCoordinator(path.join(dir, "coordinator.js")), grant(fixture)]);
    return new Replicas(fixture, dir, await fixture.plane.kubeconfigFor(USER));
  }

  start(
    identity: string,
    flags: readonly string[] = [],
    { through = [], node = [], kubeconfig = this.kubeconfig, stdout }: ReplicaOptions = {},
  ): Replica {
    const bundle = path.join(this.dir, "coordinator.js");
    const own = ["--kubeconfig", kubeconfig, "--identity", identity, "--port=0", "--host=127.0.0.1"];
    const [program = "", ...args] = [...through, process.execPath, ...node, bundle, ...own, ...flags];
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", stdout ?? "pipe", "pipe"],
    });
    const replica = new Replica(child);
    this.#all.push(replica);
    return replica;
  }

  /** A proxy that asks as the coordinator's user, and the path of a kubeconfig for it. */
  async proxied(plan: FaultPlan): Promise<{ proxy: FaultProxy; kubeconfig: string }> {
    const proxy = await this.fixture.proxy(plan, this.kubeconfig);
    const content = load(await readFile(this.kubeconfig, "utf8")) as { clusters: { cluster: object }[] };
    for (const named of content.clusters)
      named.cluster = {
        server: proxy.url,
        "certificate-authority-data": Buffer.from(this.fixture.proxyCertificate).toString("base64"),
      };
    const kubeconfig = path.join(this.dir, `proxied-${new URL(proxy.url).port}`);
    await writeFile(kubeconfig, JSON.stringify(content), { mode: 0o600 });
    return { proxy, kubeconfig };
  }

  /** Every replica, in the order of their start. */
  get all(): readonly Replica[] {
    return this.#all;
  }

  /** Who holds the lease; empty if nobody does. */
  async leader(): Promise<string> {
    const lease = await this.fixture.direct
      .get(LEASES, { namespace: this.fixture.home, name: "fleetwright-coordinator" })
      .catch(() => undefined);
    return lease?.spec?.holderIdentity ?? "";
  }

  /** Waits until the replica of this identity leads. */
  async leads(identity: string): Promise<void> {
    await waitFor(
      `${identity} to lead`,
      async () => (await this.leader()).startsWith(`${identity}_`),
      60_000,
    ).catch((error: unknown) => {
      const said = this.#all.flatMap(({ lines }) => lines.slice(-10)).join("\n");
      throw new Error(`${String(error)}\n${said}`);
    });
  }

  /** Frees the lease of one that was killed. */
  async freeLease(): Promise<void> {
    await this.fixture.direct
      .delete(LEASES, { namespace: this.fixture.home, name: "fleetwright-coordinator" })
      .catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((replica) => replica.kill()));
    await rm(this.dir, { recursive: true });
  }
}

async function grant({ direct }: CoordinatorFixture): Promise<void> {
  const file = path.join(ROOT, "controllers/coordinator/role.yaml");
  // The accounts that it acts as are the fixture's already.
  const documents = (loadAll(await readFile(file, "utf8")) as Role[]).filter(
    ({ kind, metadata }) =>
      ["ClusterRole", "Role"].includes(kind) && metadata.name === "fleetwright-coordinator",
  );
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  for (const role of documents) {
    const { name, namespace } = role.metadata;
    const scope = namespace === undefined ? rbac : `${rbac}/namespaces/${namespace}`;
    const plural = role.kind === "ClusterRole" ? "clusterroles" : "roles";
    await direct.request({ method: "POST", path: `${scope}/${plural}`, body: role });
    const binding = {
      apiVersion: role.apiVersion,
      kind: `${role.kind}Binding`,
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: role.kind, name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: USER }],
    };
    await direct.request({
      method: "POST",
      path: `${scope}/${plural.replace(/s$/, "bindings")}`,
      body: binding,
    });
  }
}
