import { existsSync } from "node:fs";
import path from "node:path";
import { awsVariables } from "./aws/variables";
import type { SandboxLayout } from "./layout";

/**
 * The passphrase of every sandbox. It is public on purpose: the stack file of the sandbox is committed, and whoever can
 * read the sandbox's state can read the keys beside it as well (docs/decisions/0005).
 */
export const SANDBOX_PASSPHRASE = "fleetwright-sandbox-is-not-secret";

/** The engine needs a user name. In a container with an unknown user id, neither the system nor USER has one. */
const NOBODY = "fleetwright";

/** What a stack needs of the sandbox's cloud: the endpoint of the AWS API, and the images of our own programs. */
export interface CloudAccess {
  readonly endpoint: string;
  readonly region: string;
  readonly images: Readonly<Record<string, string>>;
}

/** Variables that would point AWS's tools at a real account; they are unset in a sandbox. */
const FOREIGN = ["AWS_PROFILE", "AWS_SESSION_TOKEN"] as const;

/** What plain `pulumi` and `kubectl` need to work on a sandbox, PATH aside. */
export function sandboxVariables(layout: SandboxLayout, cloud?: CloudAccess): Record<string, string> {
  return {
    ...(cloud === undefined ? {} : { ...awsVariables(cloud), ...cloud.images }),
    FLEETWRIGHT_SANDBOX: layout.name,
    KUBECONFIG: layout.mergedKubeconfig,
    PULUMI_BACKEND_URL: `file://${layout.pulumiState}`,
    PULUMI_CONFIG_PASSPHRASE: SANDBOX_PASSPHRASE,
    PULUMI_HOME: layout.pulumiHome,
    // The plugins are in PULUMI_HOME already; the engine must not ask a download site that may not answer.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...policyVariables(path.resolve(layout.folder, "..", "..")),
  };
}

/** Runs the project's policies on every preview and update, without an option (docs/policy.md). */
function policyVariables(project: string): Record<string, string> {
  const pack = path.join(project, "policy", "fleetwright");
  return existsSync(pack) ? { PULUMI_OPTION_POLICY_PACK: pack } : {};
}

/** The environment of a program that works on a sandbox. */
export function sandboxEnvironment(
  layout: SandboxLayout,
  cloud?: CloudAccess,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !FOREIGN.some((foreign) => foreign === name));
  return {
    ...Object.fromEntries(kept),
    USER: env.USER ?? NOBODY,
    ...sandboxVariables(layout, cloud),
    PATH: [layout.bin, env.PATH ?? ""].join(path.delimiter),
  };
}

/** The same as lines for a POSIX shell; running them twice changes nothing. */
export function shellExports(layout: SandboxLayout, cloud?: CloudAccess): string {
  const bin = quote(layout.bin);
  return [
    `case ":$PATH:" in *:${bin}:*) ;; *) export PATH=${bin}:"$PATH" ;; esac`,
    `export USER="\${USER:-${NOBODY}}"`,
    `unset ${FOREIGN.join(" ")}`,
    ...Object.entries(sandboxVariables(layout, cloud)).map(
      ([name, value]) => `export ${name}=${quote(value)}`,
    ),
  ].join("\n");
}

/** A text quoted so that a shell reads it as one literal word. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
