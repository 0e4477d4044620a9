import * as pulumi from "@pulumi/pulumi";
import { type Problem, refuseProblems } from "../cluster/problem";
import catalogue from "./catalogue.json";
import {
  declare,
  nameProblems,
  specProblems,
  without,
  type DeclarationTransform,
  type Labels,
} from "./declaration";

/** Software that is installed in the cluster. */
export interface PluginArgs {
  name: string;
  /** One of the catalogue: metrics-server, prometheus, sample. Then nothing else is needed. */
  bundled?: string;
  /** What it is for. @default that of the bundled one @example "metrics" */
  type?: string;
  /** @default that of the bundled one */
  version?: string;
  /** Where the manifests come from: inline, configMapRef, secretRef, oci or http, as in a Plugin. @default the bundled ones */
  source?: Record<string, unknown>;
  /** Values for the places `${key}` in the manifests; those of a bundled one hold where none is given. @default {} */
  values?: Record<string, string>;
  /** More values, from ConfigMaps and Secrets, as in a Plugin. @default [] */
  valuesFrom?: Record<string, unknown>[];
  /** Jobs before and after each install, as in a Plugin. @default none */
  jobs?: Record<string, unknown>;
  /** @default "fleetwright-plugins" */
  namespace?: string;
  /** The service account with whose rights it is installed. @default "fleetwright-plugins" */
  serviceAccountName?: string;
  /** An earlier version to go back to. */
  rollbackTo?: string;
  /** How many earlier versions are kept. @default 10 */
  historyLimit?: number;
  /** Whether what it installed goes with it: Delete or Orphan. @default "Delete" */
  deletionPolicy?: string;
  /** While true, nothing is applied, pruned or healed. @default false */
  paused?: boolean;
}

/** The arguments of `Plugins`. */
export interface PluginsArgs {
  plugins: PluginArgs[];
  /** Labels for every object. @default {} */
  labels?: Labels;
}

/** The options of `Plugins`. */
export interface PluginsOptions extends pulumi.ComponentResourceOptions {
  transform?: { plugin?: DeclarationTransform };
}

/**
 * Software that is installed in a cluster, upgraded, rolled back and removed as one.
 *
 * @example
 * new Plugins("plugins", { plugins: [{ name: "metrics-server", bundled: "metrics-server" }] });
 */
export class Plugins extends pulumi.ComponentResource {
  constructor(name: string, args: PluginsArgs, opts: PluginsOptions = {}) {
    refuseProblems("The list of plugins", pluginProblems(args.plugins), opts.parent);
    super("fleetwright:index:Plugins", name, args, opts);
    for (const plugin of args.plugins) {
      const declaration = { kind: "Plugin", name: plugin.name, spec: specOf(plugin) } as const;
      declare(this, `${name}-${plugin.name}`, declaration, args.labels, opts.transform?.plugin);
    }
    this.registerOutputs({});
  }
}

/** All that is wrong with a list of plugins. */
export function pluginProblems(plugins: readonly PluginArgs[]): Problem[] {
  const known = Object.keys(catalogue);
  return [
    ...nameProblems(
      "plugins",
      plugins.map(({ name }) => name),
    ),
    ...plugins.flatMap((plugin, index) => {
      const { bundled } = plugin;
      return bundled === undefined || known.includes(bundled)
        ? specProblems("Plugin", `plugins[${index}]`, specOf(plugin))
        : [`plugins[${index}].bundled is ${JSON.stringify(bundled)}: the catalogue has ${known.join(", ")}.`];
    }),
  ];
}

function specOf(plugin: PluginArgs): object {
  const bundled: Record<string, object> = catalogue;
  const base: { values?: object } = plugin.bundled === undefined ? {} : (bundled[plugin.bundled] ?? {});
  const values =
    base.values === undefined && plugin.values === undefined
      ? {}
      : { values: { ...base.values, ...plugin.values } };
  return { ...base, ...without(without(plugin, "name"), "bundled"), ...values };
}
