import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { type CloudAccess, sandboxEnvironment } from "./environment";
import { type SandboxLayout } from "./layout";
import { ExitCode, Failure } from "../lib/failure";
import { isObject, parseJson } from "../lib/json";

/** One stack of the project, run by the real engine on a sandbox. */
export class Stack {
  constructor(
    private readonly layout: SandboxLayout,
    private readonly project: string,
    readonly name: string,
    private readonly cloud: () => Promise<CloudAccess | undefined> = () => Promise.resolve(undefined),
  ) {
    Stack.require(project, name);
  }

  /** Fails unless the project has settings for a stack of that name. */
  static require(project: string, name: string): void {
    const file = path.join(project, `Pulumi.${name}.yaml`);
    if (existsSync(file)) return;
    throw new Failure(
      `There is no stack "${name}": ${file} does not exist. Choose one that does with --stack.`,
      ExitCode.usage,
    );
  }

  /** Creates the stack if it is new, and selects it for plain `pulumi` commands. */
  async select(): Promise<void> {
    await this.pulumi(["stack", "select", "--create", this.name], "quiet");
  }

  /** Deploys the stack; the sandbox's environment enforces the policies. */
  async up(): Promise<void> {
    await this.pulumi(["up", "--stack", this.name, "--yes", "--skip-preview", "--non-interactive"], "shown");
  }

  /** The outputs that are strings, secrets included, by name. */
  async outputs(): Promise<Partial<Record<string, string>>> {
    const args = ["stack", "output", "--stack", this.name, "--json", "--show-secrets"];
    const found = parseJson(await this.pulumi(args, "quiet"));
    const texts = Object.entries(isObject(found) ? found : {}).filter(
      ([, value]) => typeof value === "string",
    );
    return Object.fromEntries(texts) as Record<string, string>;
  }

  private async pulumi(args: readonly string[], output: "shown" | "quiet"): Promise<string> {
    const child = spawn(path.join(this.layout.bin, "pulumi"), args, {
      cwd: this.project,
      env: sandboxEnvironment(this.layout, await this.cloud()),
      // The engine is in our process group: Ctrl-C reaches it, and we wait until it has saved its state.
      stdio: ["ignore", output === "shown" ? "inherit" : "pipe", output === "shown" ? "inherit" : "pipe"],
    });
    let said = "";
    let printed = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      printed += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0) {
      throw new Failure(
        `\`pulumi ${args.slice(0, 2).join(" ")}\` failed with exit code ${code ?? "none (it was killed)"}.${said === "" ? "" : `\n${said.trim()}`}`,
      );
    }
    return printed;
  }
}
