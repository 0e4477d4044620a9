import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SANDBOX_PASSPHRASE } from "../../sandbox/environment";
import { installProviders } from "../../sandbox/providers";
import { ensureTools } from "../../sandbox/toolchain";
import { Engine } from "./engine";
import { PulumiProgram } from "./pulumi-program";

const PROJECT = join(__dirname, "../..");

/**
 * The project's own program, with one of its stacks as it is committed, or a new one. It is copied, because the engine writes into the
 * stack's file; the code is the repository's.
 */
export class StackProgram extends PulumiProgram {
  /** Makes the stack; nothing is in it yet. `inside` puts the engine into a sandbox's network. */
  static async open(
    stack: string,
    environment: Readonly<Record<string, string>>,
    inside?: (argv: readonly string[]) => readonly string[],
  ): Promise<StackProgram> {
    const engine = await Engine.open(inside === undefined ? {} : { inside });
    await installProviders(engine.home, ["aws", "command", "tls"]);
    await layKubernetesProvider(engine.home);
    const folder = engine.path("project");
    const settings = `Pulumi.${stack}.yaml`;
    mkdirSync(folder);
    for (const file of ["Pulumi.yaml", "package.json", "run.js", "index.ts", "config.ts", "way-in.ts"])
      cpSync(join(PROJECT, file), join(folder, file));
    // A stack of somebody's own has no file yet.
    if (existsSync(join(PROJECT, settings))) cpSync(join(PROJECT, settings), join(folder, settings));
    for (const entry of readdirSync(PROJECT, { withFileTypes: true })) {
      if (entry.isDirectory() && !entry.name.startsWith("."))
        symlinkSync(join(PROJECT, entry.name), join(folder, entry.name));
    }
    const program = new StackProgram(engine, folder, join(folder, settings), {
      ...environment,
      // That of the committed stack files (docs/decisions/0005).
      PULUMI_CONFIG_PASSPHRASE: SANDBOX_PASSPHRASE,
    });
    await program.run(["stack", "init", stack]);
    return program;
  }
}

/** Puts the real Kubernetes provider where the engine of that home finds it. */
export async function layKubernetesProvider(home: string): Promise<void> {
  const { "pulumi-resource-kubernetes": tool } = await ensureTools(["pulumi-resource-kubernetes"]);
  const folder = join(home, "plugins", `resource-kubernetes-v${tool.version}`);
  mkdirSync(folder, { recursive: true });
  symlinkSync(tool.path, join(folder, "pulumi-resource-kubernetes"));
}
