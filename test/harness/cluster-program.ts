import { join } from "node:path";
import { installProviders } from "../../sandbox/providers";
import { Engine } from "./engine";
import { PulumiProgram } from "./pulumi-program";

/** The program `cluster` with an engine of its own: the stack's settings are the cluster. */
export class ClusterProgram extends PulumiProgram {
  /** Makes a stack for an AWS API. `inside` puts the engine into a sandbox's network. */
  static async open(
    environment: Readonly<Record<string, string>>,
    inside?: (argv: readonly string[]) => readonly string[],
  ): Promise<ClusterProgram> {
    const engine = await Engine.open(inside === undefined ? {} : { inside });
    await installProviders(engine.home, ["aws", "command", "tls"]);
    const folder = engine.program("cluster");
    const program = new ClusterProgram(engine, folder, join(folder, "Pulumi.dev.yaml"), environment);
    await program.run(["stack", "init", "dev"]);
    return program;
  }

  /** Sets the arguments of the cluster, and its name. */
  describe(args: object, name = "main"): Promise<void> {
    return this.configure((config) => Object.assign(config, { "cluster:name": name, "cluster:args": args }));
  }
}
