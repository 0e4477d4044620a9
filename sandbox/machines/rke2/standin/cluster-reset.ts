// `rke2 server --cluster-reset` of the stand-in, with or without a snapshot.
import { chmod, mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../../../../lib/deadline";
import { Failure } from "../../../../lib/failure";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { run } from "../../command";
import { isComplete, readShared, writeShared, type SharedFiles } from "./authorities";
import type { ProcessGroup } from "./process-group";
import { Datastore } from "./datastore";
import { ensureServerLeaves } from "./leaf-certificates";
import type { Layout } from "./layout";
import { log } from "./log";
import { linkPrograms } from "./programs";
import type { Release } from "./release";
import { SnapshotBucket } from "./s3";
import { serverToken } from "./server";
import type { Settings } from "./settings";

/** What tells that it worked; scripts wait for it. */
export const RESET_DONE =
  "Managed etcd cluster membership has been reset, restart without --cluster-reset flag now. Backup and delete ${datadir}/server/db on each peer etcd server and rejoin the nodes";

/** Makes this server the only member of its etcd, with the data that it has or with those of a snapshot. */
export async function resetCluster(
  processes: ProcessGroup,
  settings: Settings,
  layout: Layout,
  release: Release,
): Promise<void> {
  await linkPrograms(release, layout);
  for (const folder of [layout.server, layout.db, layout.logs])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(layout.dataDir, 0o755);
  if ((await readIfPresent(layout.resetFlag)) !== undefined)
    throw new Failure(
      `cluster-reset was successfully performed, please remove the --cluster-reset flag and start rke2 normally. If you need to perform another cluster reset, you must first manually delete the file at ${layout.resetFlag}`,
    );
  const datastore = new Datastore(settings, layout);
  const token = await serverToken(settings, layout);
  if (settings.restorePath !== undefined) await restore(settings, layout, datastore, settings.restorePath);
  else if (!(await datastore.initialized()))
    throw new Failure(
      `There is no etcd data in ${layout.etcd} to reset. Give a snapshot with --cluster-reset-restore-path.`,
    );
  const shared = await sharedFiles(layout, datastore, token.password);
  await ensureServerLeaves(layout.tls, shared, settings);
  const identity = await datastore.identity();
  await datastore.start(processes, identity, { kind: "reset" });
  const etcd = await datastore.client(shared);
  await waitFor(
    "etcd to run with this server as its only member",
    async () => {
      const [member, ...others] = await etcd.members(true);
      if (member === undefined || others.length > 0) return `${others.length + 1} members`;
      if (member.name !== identity.name) return `the member ${member.name}`;
      if (!member.peerUrls.includes(identity.peerUrl)) await etcd.updatePeer(member.id, identity.peerUrl);
      return member.peerUrls.includes(identity.peerUrl);
    },
    { timeoutMs: 120_000 },
  );
  await datastore.keepShared(etcd, shared, token.password);
  await processes.stop("etcd");
  await writePrivate(layout.resetFlag, "");
  log("info", RESET_DONE);
}

/** Puts a snapshot in the place of the data, which are kept beside it. The server is a new member then. */
async function restore(
  settings: Settings,
  layout: Layout,
  datastore: Datastore,
  source: string,
): Promise<void> {
  const file = await snapshotFile(settings, source);
  await datastore.archiveData();
  const identity = await datastore.identity(true);
  const name = path.join(layout.etcd, "name");
  log("info", `Restoring snapshot ${file} as ${identity.name}`);
  // etcdutl wants to make the folder itself.
  const draft = path.join(layout.db, "etcd-restored");
  const args = ["snapshot", "restore", file, "--data-dir", draft, "--name", identity.name];
  const cluster = ["--initial-cluster", `${identity.name}=${identity.peerUrl}`];
  const peer = ["--initial-advertise-peer-urls", identity.peerUrl];
  await run(["rm", "-rf", draft]);
  await run([path.join(layout.bin, "etcdutl"), ...args, ...cluster, ...peer]);
  await run(["mv", path.join(draft, "member"), path.join(layout.etcd, "member")]);
  await run(["rm", "-rf", draft]);
  await chmod(name, 0o600);
}

async function snapshotFile(settings: Settings, source: string): Promise<string> {
  if (settings.s3 !== undefined) {
    await mkdir(settings.snapshots.dir, { recursive: true, mode: 0o700 });
    const file = path.join(settings.snapshots.dir, path.basename(source));
    log("info", `Retrieving etcd snapshot ${source} from S3`);
    await (await SnapshotBucket.open(settings.s3)).fetch(path.basename(source), file);
    return file;
  }
  const found = await stat(source).catch(() => undefined);
  if (found === undefined) throw new Failure(`etcd: snapshot path does not exist: ${source}`);
  if (found.isDirectory())
    throw new Failure(`etcd: snapshot path must be a file, not a directory: ${source}`);
  return source;
}

/** After a restore the snapshot's own authorities count, whatever lies on the disk; the token opens them. */
async function sharedFiles(layout: Layout, datastore: Datastore, password: string): Promise<SharedFiles> {
  const found = await readShared(layout);
  const recovered = await datastore.recoverShared(password);
  if (isComplete(found) && JSON.stringify(found) === JSON.stringify(recovered)) return found;
  await writeShared(layout, recovered);
  return recovered;
}
