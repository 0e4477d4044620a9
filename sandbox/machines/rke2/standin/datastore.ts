// etcd of a server of the stand-in: found, joined, started, left.
import { randomBytes } from "node:crypto";
import { chmod, chown, cp, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "../../../../lib/deadline";
import { errorMessage, Failure } from "../../../../lib/failure";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { startProcess, stopProcess } from "../../../../lib/process";
import { run } from "../../command";
import { authorityOf, type SharedFiles } from "./authorities";
import { BOOTSTRAP_PREFIX, bootstrapKey, bootstrapState, openShared, sealShared } from "./bootstrap-data";
import { etcdConfig } from "./component-arguments";
import type { ProcessGroup } from "./process-group";
import { EtcdClient } from "./etcd-client";
import type { Layout } from "./layout";
import { readPair } from "./leaf-certificates";
import { log } from "./log";
import { checkMembership, memberName, type MemberIdentity, type MemberPlan } from "./member";
import type { Settings } from "./settings";

const LOOK_MS = 300;
const TEMPORARY_PORT = 2399;
const REMOVED = "the member has been permanently removed from the cluster";

/** The etcd of this server: who it is, how it is started, and what it must find. */
export class Datastore {
  constructor(
    private readonly settings: Settings,
    private readonly layout: Layout,
  ) {}

  /** The URL by which the other members know this one. */
  get peerUrl(): string {
    return `https://${this.settings.nodeIp}:2380`;
  }

  get #nameFile(): string {
    return path.join(this.layout.etcd, "name");
  }

  get #tombstone(): string {
    return path.join(this.layout.etcd, "tombstone");
  }

  /** Whether etcd has ever run on this data. */
  async initialized(): Promise<boolean> {
    return exists(path.join(this.layout.etcd, "member", "wal"));
  }

  /** Puts aside the data of a member that was removed from its cluster, so that the server can join anew. */
  async discardRemovedMember(): Promise<void> {
    if (!(await exists(this.#tombstone))) return;
    log("info", "tombstone file has been detected, removing data dir to rejoin the cluster");
    await this.archiveData();
  }

  /** Renames the data; the last five are kept. */
  async archiveData(): Promise<void> {
    if (!(await exists(this.layout.etcd))) return;
    await rename(this.layout.etcd, path.join(this.layout.db, `etcd-old-${Math.floor(Date.now() / 1000)}`));
    const old = (await readdir(this.layout.db)).filter((name) => name.startsWith("etcd-old-")).sort();
    for (const name of old.slice(0, -5)) await rm(path.join(this.layout.db, name), { recursive: true });
  }

  /** Who this server is for etcd. The name is made once and lies with the data. */
  async identity(renew = false): Promise<MemberIdentity> {
    const stored = renew ? undefined : (await readIfPresent(this.#nameFile))?.trim();
    const name = stored ?? memberName(this.settings.nodeName, randomBytes(4).toString("hex"));
    if (stored === undefined) {
      await mkdir(this.layout.etcd, { recursive: true, mode: 0o700 });
      await writePrivate(this.#nameFile, name);
    }
    return { name, nodeName: this.settings.nodeName, peerUrl: this.peerUrl };
  }

  /** Asks the etcd of this server, or another one. */
  async client(shared: SharedFiles, endpoint = "https://127.0.0.1:2379"): Promise<EtcdClient> {
    const pair = await readPair(path.join(this.layout.tls, "etcd", "client"));
    if (pair === undefined)
      throw new Failure(`There is no certificate in ${this.layout.tls}/etcd/client.crt.`);
    return new EtcdClient(endpoint, authorityOf(shared, "etcd/server-ca").certificate, pair);
  }

  /** Starts etcd as planned. `onRemoved` hears that the cluster has removed this member. */
  async start(
    processes: ProcessGroup,
    identity: MemberIdentity,
    plan: MemberPlan | { kind: "reset" },
    onRemoved: () => void = () => {},
  ): Promise<void> {
    const config = etcdConfig(this.settings, this.layout, {
      name: identity.name,
      ...(plan.kind === "new" ? { cluster: plan.cluster, state: "new" as const } : {}),
      ...(plan.kind === "join" ? { cluster: plan.cluster, state: "existing" as const } : {}),
      ...(plan.kind === "reset" ? { forceNewCluster: true } : {}),
    });
    const file = path.join(this.layout.etcd, "config");
    await mkdir(this.layout.etcd, { recursive: true, mode: 0o700 });
    await chmod(this.layout.etcd, 0o700);
    await writeFile(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
    const logFile = path.join(this.layout.logs, "etcd.log");
    const etcd = path.join(this.layout.bin, "etcd");
    const args = ["--config-file", file];
    await processes.start({
      name: "etcd",
      ...(this.settings.profile === "none"
        ? { command: etcd, args }
        : { command: "/usr/bin/setpriv", args: [...(await this.#asEtcdUser()), "--", etcd, ...args] }),
      logFile,
      shouldRestart: async () => {
        if (!((await readIfPresent(logFile)) ?? "").includes(REMOVED)) return true;
        await writePrivate(this.#tombstone, "");
        onRemoved();
        return false;
      },
    });
  }

  /** With a hardening profile etcd is a user of its own, and its files are that user's. */
  async #asEtcdUser(): Promise<string[]> {
    const entry = ((await readIfPresent("/etc/passwd")) ?? "")
      .split("\n")
      .find((line) => line.startsWith("etcd:"));
    const [, , uid = "", gid = ""] = (entry ?? "").split(":");
    if (entry === undefined) throw new Failure("missing required user: unknown user etcd");
    await run([
      "chown",
      "--recursive",
      `${uid}:${gid}`,
      this.layout.etcd,
      path.join(this.layout.tls, "etcd"),
    ]);
    // A user must be able to pass through the folders above its own.
    for (const folder of [this.layout.server, this.layout.db, this.layout.tls]) {
      await chown(folder, 0, Number(gid));
      await chmod(folder, 0o710);
    }
    return ["--reuid", uid, "--regid", gid, "--clear-groups", "--pdeathsig", "KILL"];
  }

  /** Waits until this server votes, and refuses to be anybody else than the member that the cluster knows. */
  async awaitMembership(client: EtcdClient, identity: MemberIdentity): Promise<void> {
    let said = "";
    for (;;) {
      const state = await this.#state(client, identity);
      if (state === true) return;
      if (state !== said) log("info", `Waiting for etcd: ${state}`);
      said = state;
      await pause(LOOK_MS);
    }
  }

  async #state(client: EtcdClient, identity: MemberIdentity): Promise<true | string> {
    let members;
    try {
      if ((await client.status()).learner)
        return "this server has not yet been promoted from learner to voting member";
      members = await client.members(true);
    } catch (error) {
      return errorMessage(error);
    }
    checkMembership(identity, members);
    return true;
  }

  /** Keeps the shared files in etcd under the token, and refuses another token than the stored one. */
  async keepShared(client: EtcdClient, shared: SharedFiles, password: string): Promise<void> {
    const found = await client.range(BOOTSTRAP_PREFIX);
    const keys = found.map(({ key }) => key);
    if (bootstrapState(keys, password) === "absent")
      await client.put(bootstrapKey(password), sealShared(shared, password));
  }

  /** Takes the shared files out of the data on the disk, for a server that has its data and has lost the rest. */
  async recoverShared(password: string): Promise<SharedFiles> {
    log("info", "Reconciling bootstrap data between datastore and disk");
    const copy = path.join(this.layout.db, "etcd-tmp");
    await rm(copy, { recursive: true, force: true });
    await cp(path.join(this.layout.etcd, "member"), path.join(copy, "member"), { recursive: true });
    const url = `http://127.0.0.1:${TEMPORARY_PORT}`;
    const etcd = await startProcess({
      name: "temporary etcd",
      command: path.join(this.layout.bin, "etcd"),
      args: [
        ...["--force-new-cluster", "--data-dir", copy, "--name", "temporary"],
        ...["--listen-client-urls", url, "--advertise-client-urls", url],
        ...["--listen-peer-urls", `http://127.0.0.1:${TEMPORARY_PORT + 1}`],
      ],
      env: {},
      logFile: path.join(this.layout.logs, "etcd-tmp.log"),
      lifetime: "owned",
    });
    try {
      let value: string | undefined;
      const ask = async (): Promise<true> => {
        const key = bootstrapKey(password);
        const args = ["--endpoints", url, "--command-timeout", "3s", "get", "--print-value-only", key];
        value = (await run([path.join(this.layout.bin, "etcdctl"), ...args])).trim();
        return true;
      };
      await waitFor("the data on the disk to be read", ask, { timeoutMs: 60_000 });
      if (value === undefined || value === "")
        throw new Failure("bootstrap data already found and encrypted with different token");
      return openShared(value, password);
    } finally {
      await stopProcess("temporary etcd", etcd.identity);
      await rm(copy, { recursive: true, force: true });
    }
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
