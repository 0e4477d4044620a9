// The Node that images run on, and those that `npm run test:nodes` tests: pinned releases from npm.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { errorMessage, Failure } from "../lib/failure";
import { type Progress, silentProgress } from "../lib/progress";
import { cacheRoot, withLock } from "./toolchain";

/** A release of Node, with npm's integrity of its package for each processor. */
export interface NodeRelease {
  readonly version: string;
  readonly integrity: { readonly x64: string; readonly arm64: string };
}

/** The newest release of every supported major version. */
export const NODE_RELEASES = {
  20: {
    version: "20.20.2",
    integrity: {
      x64: "sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==",
      arm64:
        "sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==",
    },
  },
  22: {
    version: "22.23.3",
    integrity: {
      x64: "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
      arm64:
        "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
    },
  },
  24: {
    version: "24.21.0",
    integrity: {
      x64: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
      arm64:
        "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
    },
  },
  26: {
    version: "26.10.0",
    integrity: {
      x64: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
      arm64:
        "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
    },
  },
} as const satisfies Record<number, NodeRelease>;

/** The release that images of our programs and the sandbox's machines run on: the newest with long-term support. */
export const IMAGE_NODE: NodeRelease = NODE_RELEASES[26];

/** A processor that Node is published for. */
export type NodeArchitecture = keyof NodeRelease["integrity"];

/** A Node that images are made with. */
export interface ImageNode {
  readonly path: string;
  readonly version: string;
}

/**
 * The Node for images, fetched if need be. A host on which it does not run, for want of libatomic, has no machines
 * either (gcc, which they need, brings it): there images only have to exist, and get the Node that runs this.
 */
export async function ensureImageNode(progress: Progress = silentProgress): Promise<ImageNode> {
  const node = await ensureNode(IMAGE_NODE, { progress });
  const runs = await promisify(execFile)(node, ["--version"]).then(
    () => true,
    () => false,
  );
  return runs
    ? { path: node, version: IMAGE_NODE.version }
    : { path: process.execPath, version: process.version.slice(1) };
}

/** Fetches a release into the cache unless it is there, and gives the path of its `node`. */
export async function ensureNode(
  { version, integrity }: NodeRelease,
  options: {
    readonly root?: string;
    readonly progress?: Progress;
    /** @default this machine's */
    readonly architecture?: NodeArchitecture;
  } = {},
): Promise<string> {
  const { root = cacheRoot(), progress = silentProgress, architecture = hostArchitecture(version) } = options;
  const name = `node-linux-${architecture}`;
  const node = nodePath(version, root, architecture);
  const folder = path.dirname(path.dirname(node));
  if (await exists(node)) return node;
  const expected = integrity[architecture];
  await progress.step(`fetching Node ${version} for ${architecture}`, () =>
    withLock(path.join(root, "locks", `node-${version}.lock`), async () => {
      if (await exists(node)) return;
      const draft = `${folder}.new`;
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { recursive: true });
      const archive = await pack(`${name}@${version}`, draft);
      checkIntegrity(await readFile(archive), expected, `${name}@${version}`);
      await run("tar", [
        "--extract",
        "--gzip",
        "--strip-components=1",
        "--file",
        archive,
        "--directory",
        draft,
      ]);
      await rm(archive);
      await rm(folder, { recursive: true, force: true });
      await rename(draft, folder);
    }),
  );
  return node;
}

/** Whether the Node for images is in the cache. */
export function imageNodeExists(): Promise<boolean> {
  return exists(nodePath(IMAGE_NODE.version, cacheRoot()));
}

function hostArchitecture(version: string): NodeArchitecture {
  if (process.arch === "x64" || process.arch === "arm64") return process.arch;
  throw new Failure(
    `There is no Node ${version} for ${process.arch} processors here; only for x64 and arm64.`,
  );
}

function nodePath(version: string, root: string, architecture: string = process.arch): string {
  return path.join(root, "node", `${version}-${architecture}`, "bin", "node");
}

/** Refuses content that is not what npm's integrity says. */
export function checkIntegrity(content: Uint8Array, expected: string, what: string): void {
  const found = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  if (found !== expected) {
    throw new Failure(
      `${what} has the integrity ${found}, but ${expected} is pinned in sandbox/node-release.ts.`,
    );
  }
}

/** Downloads a package through npm, which knows the registry and the proxy of this machine. */
async function pack(spec: string, folder: string): Promise<string> {
  const output = await run("npm", ["pack", spec, "--silent", "--pack-destination", folder]);
  return path.join(folder, output.trim().split("\n").at(-1) ?? "");
}

async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, [...args], { maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    throw new Failure(`\`${program} ${args.join(" ")}\` failed: ${errorMessage(error)}`);
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
