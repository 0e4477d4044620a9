// What images stand on: a few libraries of Debian, for both processors, fetched and checked by apt in a folder of its own.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage, ExitCode, Failure } from "../../lib/failure";
import { sourceOf, type AptSource } from "../../sandbox/machines/apt-sources";
import { attempt, run } from "../../sandbox/machines/command";
import { hostSources } from "../../sandbox/machines/image";
import { sha256Of } from "./digest";
import type { Platform } from "./platforms";

/** The release of Debian that images stand on. */
export const BASE_RELEASE = { codename: "bookworm", version: "12" };

/** What Node is linked with; the last one holds the license of the three before it. */
const LIBRARY_PACKAGES = ["libc6", "libstdc++6", "libgcc-s1", "libatomic1", "gcc-12-base"];
/** The authorities that Mozilla trusts. */
const AUTHORITIES_PACKAGE = "ca-certificates";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** A package of Debian, unpacked. */
export interface BasePackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly sha256: string;
  /** Its description as `dpkg` keeps it, by which scanners of images find it. */
  readonly control: string;
  readonly root: string;
}

/**
 * Fetches the newest versions of the packages for every platform into a folder. apt verifies Debian's signature; what it
 * knows of this machine's own packages stays as it is.
 */
export async function fetchBasePackages(
  folder: string,
  platforms: readonly Platform[],
): Promise<Map<Platform, BasePackage[]>> {
  const apt = await privateApt(folder, platforms);
  await apt(["update"]);
  const wanted = platforms.flatMap(({ debian }) => LIBRARY_PACKAGES.map((name) => `${name}:${debian}`));
  await apt(["download", ...wanted, AUTHORITIES_PACKAGE]);
  const packages = await Promise.all(
    (await readdir(folder))
      .filter((file) => file.endsWith(".deb"))
      .sort()
      .map((file) => unpacked(path.join(folder, file))),
  );
  return new Map(
    platforms.map((platform) => [
      platform,
      packages.filter(({ architecture }) => architecture === "all" || architecture === platform.debian),
    ]),
  );
}

type Apt = (argv: readonly string[]) => Promise<void>;

/** apt with lists, packages and settings of its own, so that it needs no rights and may know another processor. */
async function privateApt(folder: string, platforms: readonly Platform[]): Promise<Apt> {
  const own = path.join(folder, "apt");
  for (const name of ["lists/partial", "archives/partial", "parts"])
    await mkdir(path.join(own, name), { recursive: true });
  await writeFile(path.join(own, "status"), "");
  await writeFile(path.join(own, "sources.list"), sourcesList(await hostSources()));
  const settings = path.join(own, "apt.conf");
  await writeFile(
    settings,
    `Dir::State "${own}";
Dir::State::lists "${own}/lists";
Dir::State::status "${own}/status";
Dir::Cache "${own}";
Dir::Etc::sourcelist "${own}/sources.list";
Dir::Etc::sourceparts "${own}/parts";
APT::Architecture "${platforms[0]?.debian ?? ""}";
APT::Architectures { ${platforms.map(({ debian }) => `"${debian}";`).join(" ")} };
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
${process.getuid?.() === 0 ? 'APT::Sandbox::User "root";' : ""}
`,
  );
  return async (argv) => {
    const result = await attempt(["env", "-C", folder, `APT_CONFIG=${settings}`, "apt-get", ...argv]).catch(
      (error: unknown) => {
        throw missing(errorMessage(error));
      },
    );
    if (result.code === 0) return;
    if (/NO_PUBKEY|apt-get: not found|No such file/.test(result.stderr)) throw missing(result.stderr.trim());
    throw new Failure(
      `apt-get ${argv[0] ?? ""} of Debian ${BASE_RELEASE.codename} for the images ended with exit code ${result.code}:\n  ${result.stderr.trim()}`,
      ExitCode.network,
    );
  };
}

function missing(said: string): Failure {
  return new Failure(
    `Images are built from packages of Debian ${BASE_RELEASE.codename}, which apt fetches and verifies, and that failed: ${said}. On Debian or Ubuntu: apt-get install debian-archive-keyring; elsewhere build them in CI.`,
    ExitCode.prerequisite,
  );
}

/**
 * The archives of the base's release and of its security updates: those that this machine installs from, else those of the mirror
 * that FLEETWRIGHT_DEBIAN_MIRROR names.
 */
export function sourcesList(
  host: readonly AptSource[],
  mirror: string | undefined = process.env.FLEETWRIGHT_DEBIAN_MIRROR,
): string {
  const { codename } = BASE_RELEASE;
  const archive = (suite: string, folder: string): string => {
    const uri = sourceOf(host, suite)?.uri ?? (mirror && `${mirror.replace(/\/$/, "")}/${folder}`);
    if (uri !== undefined && uri !== "") return `deb [signed-by=${KEYRING}] ${uri} ${suite} main\n`;
    throw new Failure(
      `Images are built from packages of Debian ${codename}, and no source of apt on this machine has ${suite}. Name a mirror, without its folder ${folder}: FLEETWRIGHT_DEBIAN_MIRROR=https://mirror.example.`,
      ExitCode.prerequisite,
    );
  };
  return archive(codename, "debian") + archive(`${codename}-security`, "debian-security");
}

async function unpacked(archive: string): Promise<BasePackage> {
  const root = archive.replace(/\.deb$/, "");
  await rm(root, { recursive: true, force: true });
  await run(["dpkg-deb", "--extract", archive, root]);
  await chmod(root, 0o755);
  const control = await run(["dpkg-deb", "--field", archive]);
  const field = (name: string): string => new RegExp(`^${name}: (.+)$`, "m").exec(control)?.[1] ?? "";
  return {
    name: field("Package"),
    version: field("Version"),
    architecture: field("Architecture"),
    sha256: sha256Of(await readFile(archive)),
    control,
    root,
  };
}
