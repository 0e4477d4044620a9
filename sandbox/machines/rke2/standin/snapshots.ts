import { mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { alignColumns } from "../../../../lib/columns";
import { errorMessage, Failure } from "../../../../lib/failure";
import { run } from "../../command";
import type { Layout } from "./layout";
import { log } from "./log";
import { SnapshotBucket, type StoredSnapshot } from "./s3";
import type { Settings } from "./settings";

/** A snapshot, on the disk or in the bucket. */
export interface Snapshot {
  name: string;
  location: string;
  size: number;
  created: Date;
}

/** The name of a snapshot that is taken now. */
export function snapshotName(prefix: string, nodeName: string, now: Date): string {
  return `${prefix}-${nodeName}-${Math.floor(now.getTime() / 1000)}`;
}

/** The names that go from the disk when only the newest of a series are kept. */
export function expired(
  names: readonly string[],
  prefix: string,
  nodeName: string,
  retention: number,
): string[] {
  const series = names.flatMap((name) => {
    const stamp = name.startsWith(`${prefix}-${nodeName}-`)
      ? Number(name.slice(prefix.length + nodeName.length + 2))
      : NaN;
    return Number.isInteger(stamp) ? [{ name, stamp }] : [];
  });
  const newestFirst = series.sort((one, two) => two.stamp - one.stamp);
  return retention > 0 ? newestFirst.slice(retention).map(({ name }) => name) : [];
}

/**
 * The names that go from a bucket when only the newest are kept. As k3s does, it counts every snapshot whose name begins
 * so, whichever server took it: the servers of a cluster share the number.
 */
export function expiredInBucket(
  stored: readonly Pick<StoredSnapshot, "name" | "modified">[],
  prefix: string,
  retention: number,
): string[] {
  const newestFirst = stored
    .filter(({ name }) => name.startsWith(prefix))
    .sort((one, two) => two.modified.getTime() - one.modified.getTime());
  return retention > 0 ? newestFirst.slice(retention).map(({ name }) => name) : [];
}

/** Takes snapshots of this server's etcd and keeps them. */
export class Snapshots {
  constructor(
    private readonly settings: Settings,
    private readonly layout: Layout,
  ) {}

  /** Takes one, uploads it where a bucket is configured, and drops the old ones of its series. */
  async save(prefix: string): Promise<Snapshot> {
    const { dir, retention } = this.settings.snapshots;
    const { nodeName, s3 } = this.settings;
    const name = snapshotName(prefix, nodeName, new Date());
    const file = path.join(dir, name);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    log("info", `Saving etcd snapshot to ${file}`);
    await run([...this.#etcdctl(), "snapshot", "save", file]);
    if (s3 !== undefined) {
      const bucket = await SnapshotBucket.open(s3);
      await bucket.put(name, file);
      log("info", `S3 upload complete for ${name}`);
      for (const old of expiredInBucket(await bucket.list(), prefix, s3.retention)) await bucket.remove(old);
    }
    for (const old of expired(await readdir(dir), prefix, nodeName, retention)) await rm(path.join(dir, old));
    return { name, location: `file://${file}`, size: (await stat(file)).size, created: new Date() };
  }

  /** All snapshots that this server knows of. */
  async list(): Promise<Snapshot[]> {
    const { dir } = this.settings.snapshots;
    const names = (await readdir(dir).catch(() => [])).filter((name) => !name.endsWith(".part"));
    const local = await Promise.all(
      names.map(async (name) => {
        const file = path.join(dir, name);
        const { size, mtime } = await stat(file);
        return { name, location: `file://${file}`, size, created: mtime };
      }),
    );
    const { s3 } = this.settings;
    const remote = s3 === undefined ? [] : await (await SnapshotBucket.open(s3)).list();
    return [
      ...local,
      ...remote.map(({ name, size, modified }) => ({
        ...{ name, size, created: modified },
        location: `s3://${s3?.bucket ?? ""}/${s3?.folder ?? ""}/${name}`,
      })),
    ].sort((one, two) => one.created.getTime() - two.created.getTime());
  }

  /** Deletes snapshots by name, wherever they are. */
  async remove(names: readonly string[]): Promise<void> {
    const known = await this.list();
    for (const name of names) {
      if (!known.some((snapshot) => snapshot.name === name))
        throw new Failure(`There is no snapshot ${name}. \`rke2 etcd-snapshot list\` shows those there are.`);
      await rm(path.join(this.settings.snapshots.dir, name), { force: true });
      const { s3 } = this.settings;
      if (s3 !== undefined) await (await SnapshotBucket.open(s3)).remove(name);
      log("info", `Snapshot ${name} deleted.`);
    }
  }

  #etcdctl(): string[] {
    const tls = path.join(this.layout.tls, "etcd");
    return [
      path.join(this.layout.bin, "etcdctl"),
      "--endpoints=https://127.0.0.1:2379",
      `--cacert=${tls}/server-ca.crt`,
      `--cert=${tls}/client.crt`,
      `--key=${tls}/client.key`,
    ];
  }
}

/** The table that `rke2 etcd-snapshot list` prints. */
export function snapshotTable(snapshots: readonly Snapshot[]): string {
  const rows = snapshots.map(({ name, location, size, created }) => [
    name,
    location,
    String(size),
    created.toISOString(),
  ]);
  const all = [["Name", "Location", "Size", "Created"], ...rows];
  return `${alignColumns(all, " ").join("\n")}\n`;
}

/** Takes a snapshot and says it if that fails. */
export async function saveOrLog(snapshots: Snapshots, prefix: string): Promise<void> {
  await snapshots
    .save(prefix)
    .catch((error: unknown) => log("error", `Failed to take etcd snapshot: ${errorMessage(error)}`));
}
