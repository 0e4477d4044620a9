import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import path from "node:path";
import { ExitCode, Failure } from "../../lib/failure";
import { type Progress, silentProgress } from "../../lib/progress";
import { onPath } from "./installed";

/** A package of the operating system that the sandbox's machines need. */
export interface SystemPackage {
  /** Its name in Debian and Ubuntu. */
  debian: string;
  purpose: string;
  /** It is installed if one of these exists: a program on PATH (or in an sbin folder), or an absolute path. */
  signs: readonly string[];
}

/** What the sandbox's machines are made of. */
export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  { debian: "containerd", purpose: "runs containers", signs: ["containerd"] },
  { debian: "runc", purpose: "starts containers", signs: ["runc"] },
  {
    debian: "containernetworking-plugins",
    purpose: "the pod network",
    signs: ["/usr/lib/cni/bridge", "/opt/cni/bin/bridge"],
  },
  { debian: "openssh-server", purpose: "logins to machines", signs: ["sshd"] },
  { debian: "nftables", purpose: "service routing", signs: ["nft"] },
  { debian: "e2fsprogs", purpose: "file systems on volumes", signs: ["mkfs.ext4"] },
  { debian: "debootstrap", purpose: "makes the machines' image", signs: ["debootstrap"] },
  { debian: "iproute2", purpose: "the machines' network", signs: ["ip"] },
  { debian: "systemd-container", purpose: "runs the machines", signs: ["systemd-nspawn"] },
  { debian: "gcc", purpose: "compiles the pause image", signs: ["cc"] },
  { debian: "libc6-dev", purpose: "links the pause image", signs: ["/usr/include/stdio.h"] },
];

const SBIN = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The packages that are not installed. */
export async function missingPackages(
  packages: readonly SystemPackage[] = SYSTEM_PACKAGES,
  env: NodeJS.ProcessEnv = process.env,
): Promise<SystemPackage[]> {
  const search = { ...env, PATH: [env.PATH ?? "", ...SBIN].join(path.delimiter) };
  const there = await Promise.all(
    packages.map(async ({ signs }) => {
      const found = await Promise.all(
        signs.map(async (sign) =>
          path.isAbsolute(sign)
            ? access(sign, constants.F_OK).then(
                () => true,
                () => false,
              )
            : (await onPath(sign, search, [])) !== undefined,
        ),
      );
      return found.includes(true);
    }),
  );
  return packages.filter((_, index) => there[index] !== true);
}

/** Whether /etc/os-release describes Debian, Ubuntu or something made from them. */
export function isDebianLike(osRelease: string): boolean {
  return osRelease
    .split("\n")
    .filter((line) => /^ID(_LIKE)?=/.test(line))
    .some((line) => /\b(debian|ubuntu)\b/.test(line));
}

/** Names the packages that have to be installed by hand. */
export function describeMissing(missing: readonly SystemPackage[]): string {
  return [
    "These system packages are missing (names as in Debian and Ubuntu):",
    ...missing.map(({ debian, purpose }) => `  - ${debian}: ${purpose}`),
    `Install them, as root on Debian or Ubuntu with: apt-get install ${missing.map(({ debian }) => debian).join(" ")}`,
  ].join("\n");
}

/** Installs missing packages as root on Debian or Ubuntu; otherwise fails with one message that names them. */
export async function ensureSystemPackages(progress: Progress = silentProgress): Promise<void> {
  const missing = await missingPackages();
  if (missing.length === 0) return;
  const osRelease = await readFile("/etc/os-release", "utf8").catch(() => "");
  if (process.getuid?.() !== 0 || !isDebianLike(osRelease)) {
    throw new Failure(describeMissing(missing), ExitCode.prerequisite);
  }
  const names = missing.map(({ debian }) => debian);
  await progress.step(`installing ${names.join(", ")}`, async (update) => {
    update("reading package lists");
    await apt(["update"]);
    update("");
    await apt(["install", "--yes", "--no-install-recommends", ...names]);
  });
  const still = await missingPackages();
  if (still.length > 0) throw new Failure(describeMissing(still), ExitCode.prerequisite);
}

/** As {@link ensureSystemPackages}, for work that can do without them: what is missing is only reported. */
export async function offerSystemPackages(progress: Progress): Promise<void> {
  try {
    await ensureSystemPackages(progress);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    progress.note(`note: machines are left out. ${error.message}`);
  }
}

function apt(args: readonly string[]): Promise<void> {
  // The services that come with some packages must not start on the host: only the sandbox's machines run them.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  return new Promise((resolve, reject) => {
    execFile("apt-get", ["--quiet", ...args], { env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error === null) {
        resolve();
        return;
      }
      const tail = `${stdout}\n${stderr}`.trim().split("\n").slice(-6).join("\n  ");
      reject(new Failure(`apt-get ${args.join(" ")} failed:\n  ${tail}`, ExitCode.prerequisite));
    });
  });
}
