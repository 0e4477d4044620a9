import * as pulumi from "@pulumi/pulumi";
import { assertNoProblems } from "../problem";
import { withoutTransform } from "../transform";
import type { PluginArgs } from "./args";
import { declare, type DeclarationTransform, type Labels } from "./declaration";
import { pluginProblems, pluginSpec } from "./problems";

/** The arguments of `Plugins`. */
export interface PluginsArgs {
  plugins: PluginArgs[];
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
  transform?: { plugin?: DeclarationTransform };
}

/**
 * Software that is installed in a cluster, upgraded, rolled back and removed as one.
 *
 * @example
 * new Plugins("plugins", { plugins: [{ name: "metrics-server", bundled: "metrics-server" }] });
 */
export class Plugins extends pulumi.ComponentResource {
  constructor(name: string, args: PluginsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    assertNoProblems("plugins", pluginProblems(args.plugins), opts.parent);
    super("fleetwright:index:Plugins", name, withoutTransform(args), opts);
    for (const plugin of args.plugins) {
      const declaration = { kind: "Plugin", name: plugin.name, spec: pluginSpec(plugin) } as const;
      declare(this, `${name}-${plugin.name}`, declaration, args.labels, args.transform?.plugin);
    }
    this.registerOutputs({});
  }
}
