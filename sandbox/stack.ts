import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { type CloudPlace, type SandboxLayout, sandboxEnvironment } from "./environment";
import { ExitCode, Failure } from "./failure";
import { isObject, parseJson } from "./json";

/** One stack of the project, run by the real engine on a sandbox. */
export class Stack {
  constructor(
    private readonly layout: SandboxLayout,
    private readonly project: string,
    readonly name: string,
    private readonly cloud: () => Promise<CloudPlace | undefined> = () => Promise.resolve(undefined),
  ) {
    if (!existsSync(path.join(project, `Pulumi.${name}.yaml`))) {
      throw new Failure(
        `There is no stack "${name}": ${path.join(project, `Pulumi.${name}.yaml`)} does not exist. Choose one that does with --stack.`,
        ExitCode.usage,
      );
    }
  }

  /** Makes the stack if it is new, and selects it for plain `pulumi` commands. */
  async select(): Promise<void> {
    await this.pulumi(["stack", "select", "--create", this.name], "quiet");
  }

  /** Brings the stack into the declared shape; the sandbox's environment has the policies enforced. */
  async up(): Promise<void> {
    await this.pulumi(["up", "--stack", this.name, "--yes", "--skip-preview", "--non-interactive"], "shown");
  }

  /** The outputs that are text, also those that are secrets, by name. */
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
      // The engine is in our process group: Ctrl-C reaches it, and we wait until it has put its state in order.
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
