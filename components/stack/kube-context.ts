// The way to a cluster by a context of the kubeconfig, for components that need it as one text without files beside it.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { load } from "js-yaml";

type Entry = Record<string, unknown> & { name: string };

interface Kubeconfig {
  contexts?: (Entry & { context: { cluster: string; user: string } })[];
  clusters?: (Entry & { cluster: Record<string, unknown> })[];
  users?: (Entry & { user: Record<string, unknown> })[];
}

/** Fields that name a file, and those that hold what would be in it. */
const FILES: Readonly<Record<string, string>> = {
  "certificate-authority": "certificate-authority-data",
  "client-certificate": "client-certificate-data",
  "client-key": "client-key-data",
};

/** The kubeconfig with one context of yours (KUBECONFIG, or ~/.kube/config) and nothing else: a secret. */
export function kubeconfigOfContext(
  context: string,
  env: NodeJS.ProcessEnv = process.env,
): pulumi.Output<string> {
  return pulumi.secret(oneContext(filesOf(env), context));
}

/** The same as text. Throws if no file has the context, or it names what is in none of them. */
export function oneContext(files: readonly string[], name: string): string {
  // KUBECONFIG may name files that do not exist.
  const read = files.filter(existsSync).map((file) => ({ folder: path.dirname(file), config: parsed(file) }));
  // As kubectl does: of several with one name the first counts.
  const pick = <Kind extends keyof Kubeconfig>(
    kind: Kind,
    wanted: string,
  ): { folder: string; entry: NonNullable<Kubeconfig[Kind]>[number] } => {
    for (const { folder, config } of read) {
      const entry = config[kind]?.find((one) => one.name === wanted);
      if (entry !== undefined) return { folder, entry };
    }
    throw new pulumi.RunError(
      `${files.join(", ")}: none of the ${kind} is called ${JSON.stringify(wanted)}; give a context that kubectl config get-contexts shows`,
    );
  };
  const { context } = pick("contexts", name).entry;
  const cluster = pick("clusters", context.cluster);
  const user = pick("users", context.user);
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: inlined(cluster.entry.cluster, cluster.folder) }],
    users: [{ name, user: inlined(user.entry.user, user.folder) }],
  });
}

function filesOf({ KUBECONFIG, HOME = homedir() }: NodeJS.ProcessEnv): string[] {
  const named = (KUBECONFIG ?? "").split(path.delimiter).filter((file) => file !== "");
  return named.length === 0 ? [path.join(HOME, ".kube", "config")] : named;
}

function parsed(file: string): Kubeconfig {
  const config = load(readFileSync(file, "utf8")) as Kubeconfig | undefined;
  return config ?? {};
}

function inlined(fields: Readonly<Record<string, unknown>>, folder: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const data = FILES[key];
      return data === undefined || typeof value !== "string"
        ? [key, value]
        : [data, readFileSync(path.resolve(folder, value)).toString("base64")];
    }),
  );
}
