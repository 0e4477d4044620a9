import { readFile } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import { ExitCode, Failure } from "../../lib/failure";
import { moduleFolder } from "./cache";
import { askVersion } from "./installed";
import type { Tool } from "./tools";

/** Node can load ES modules by `require` from here on, which `@kubernetes/client-node` needs. */
export const MINIMUM_NODE = "20.19.0";
/** The oldest Python that moto supports. */
export const MINIMUM_PYTHON = "3.10.0";
/** From here on Go fetches a newer toolchain by itself, unless GOTOOLCHAIN=local forbids it. */
const MINIMUM_GO_THAT_UPDATES = "1.21.0";

/** What a command needs of the machine. */
export interface Needs {
  /** Tools that will be built from their Go modules. */
  builds?: readonly Tool[];
  goFolder?: string;
  python?: boolean;
}

/** The versions that were found; undefined where there is none. */
export interface Found {
  node: string;
  go: string | undefined;
  python: string | undefined;
}

/** Looks for Go, Python and Node. */
export async function findPrerequisites(): Promise<Found> {
  const [go, python] = await Promise.all([
    askVersion("go", ["version"], /go(\d+\.\d+(?:\.\d+)?)/),
    askVersion("python3", ["--version"], /Python (\d\S*)/),
  ]);
  return { node: process.versions.node, go, python };
}

/** The newest Go that the modules of these tools ask for. */
export async function goRequired(builds: readonly Tool[], goFolder?: string): Promise<string> {
  const folders = [...new Set(builds.map((tool) => moduleFolder(tool, goFolder)))];
  const versions = await Promise.all(
    folders.map(async (folder) => {
      const mod = await readFile(path.join(folder, "go.mod"), "utf8");
      return semver.coerce(/^go (\S+)/m.exec(mod)?.[1])?.version ?? "0.0.0";
    }),
  );
  return versions.reduce((a, b) => (semver.gt(a, b) ? a : b), "0.0.0");
}

/** Every prerequisite that is missing or too old, each with the way to get it. */
export function missingPrerequisites(
  found: Found,
  needs: { go: string | undefined; python: boolean },
  goToolchain: string | undefined,
): string[] {
  const missing: string[] = [];
  const tooOld = (version: string, minimum: string): boolean =>
    semver.lt(semver.coerce(version) ?? "0.0.0", minimum);
  if (tooOld(found.node, MINIMUM_NODE)) {
    missing.push(
      `Node ${MINIMUM_NODE} or later, found ${found.node}: install it from nodejs.org or with \`nvm install 20\``,
    );
  }
  if (needs.go !== undefined) {
    const minimum = goToolchain === "local" ? needs.go : MINIMUM_GO_THAT_UPDATES;
    if (found.go === undefined || tooOld(found.go, minimum)) {
      missing.push(
        `Go ${minimum} or later, found ${found.go ?? "none"}: install it from go.dev/dl, or on Debian and Ubuntu with \`apt-get install golang-go\`${goToolchain === "local" ? "; or unset GOTOOLCHAIN=local, so that Go may fetch the version it needs" : ""}`,
      );
    }
  }
  if (needs.python && (found.python === undefined || tooOld(found.python, MINIMUM_PYTHON))) {
    missing.push(
      `Python ${MINIMUM_PYTHON} or later, found ${found.python ?? "none"}: install it from python.org, or on Debian and Ubuntu with \`apt-get install python3 python3-venv\``,
    );
  }
  return missing;
}

/** Fails with one message that names everything that is missing. */
export async function requirePrerequisites(needs: Needs): Promise<void> {
  const found = await findPrerequisites();
  const builds = needs.builds ?? [];
  const missing = missingPrerequisites(
    found,
    {
      go: builds.length > 0 ? await goRequired(builds, needs.goFolder) : undefined,
      python: needs.python === true,
    },
    process.env.GOTOOLCHAIN,
  );
  if (missing.length > 0) {
    throw new Failure(
      `Missing prerequisites:\n${missing.map((line) => `  - ${line}`).join("\n")}`,
      ExitCode.prerequisite,
    );
  }
}
