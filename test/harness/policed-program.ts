import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { installProviders } from "../../sandbox/providers";
import { ensureTools } from "../../sandbox/toolchain";
import { Engine, type Outcome } from "./engine";

/** The repository's packs, in one process and one by one. */
export const PACK = join(__dirname, "..", "..", "policy", "fleetwright");
export const PACK_FOLDER = join(__dirname, "..", "..", "policy");

/** What the policies said of a program. */
export interface PolicyOutcome extends Outcome {
  /** The policies that stop it, each once. */
  readonly stopped: readonly string[];
  /** The policies that advise, or cannot decide yet. */
  readonly advised: readonly string[];
  readonly shown: string;
}

/** Programs under the real engine and our policies; nothing is ever made, so that the providers need no cloud. */
export class PolicedProgram {
  private constructor(
    readonly engine: Engine,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async open(): Promise<PolicedProgram> {
    const engine = await Engine.open();
    await installProviders(engine.home, ["aws", "command", "tls"]);
    await installKubernetesProvider(engine.home);
    return new PolicedProgram(engine, {
      AWS_ENDPOINT_URL: "http://127.0.0.1:1",
      AWS_ACCESS_KEY_ID: "nobody",
      AWS_SECRET_ACCESS_KEY: "nothing",
      ...(process.env.FLEETWRIGHT_TEST_KUBECONFIG === undefined
        ? {}
        : { KUBECONFIG: process.env.FLEETWRIGHT_TEST_KUBECONFIG }),
    });
  }

  /** A copy of a program with a stack of its own: several can be evaluated at once. */
  async prepare(
    program: string,
    as: string,
    config: Readonly<Record<string, string>>,
    stack = "prod",
  ): Promise<string> {
    const folder = this.engine.program(program, { as });
    await this.engine.expect(["stack", "init", stack], folder);
    const settings = Object.entries({ "aws:region": "eu-central-1", ...config }).flatMap(([key, value]) => [
      "--plaintext",
      `${key}=${value}`,
    ]);
    await this.engine.expect(["config", "set-all", "--path", ...settings], folder);
    return folder;
  }

  /** Runs a command under packs and reads what they said. */
  async evaluate(
    folder: string,
    command: readonly string[],
    packs: readonly string[] = [PACK],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PolicyOutcome> {
    const args = [...command, ...packs.flatMap((pack) => ["--policy-pack", pack])];
    const outcome = await this.engine.pulumi(args, folder, { ...this.environment, ...environment });
    const shown = outcome.stdout + outcome.stderr;
    const named = (level: string): string[] => [
      ...new Set(
        [...shown.matchAll(new RegExp(`\\[${level}\\] (?:\\[severity: \\w+\\] )?\\s*(\\S+)`, "g"))].map(
          ([, name = ""]) => name,
        ),
      ),
    ];
    return { ...outcome, shown, stopped: named("mandatory"), advised: named("advisory") };
  }
}

/** Lays the Kubernetes provider where the engine looks for its plugins. */
async function installKubernetesProvider(home: string): Promise<void> {
  const { "pulumi-resource-kubernetes": provider } = await ensureTools(["pulumi-resource-kubernetes"]);
  const folder = join(home, "plugins", `resource-kubernetes-v${provider.version}`);
  await mkdir(folder, { recursive: true });
  await symlink(provider.path, join(folder, "pulumi-resource-kubernetes"));
}
