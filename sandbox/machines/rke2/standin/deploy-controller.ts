// Applies the manifests in a server's manifests folder, as RKE2's deploy controller does.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { errorMessage } from "../../../../lib/failure";
import { attempt } from "../../command";
import { corednsObjects } from "./coredns-manifest";
import type { Layout } from "./layout";
import { log } from "./log";
import type { Settings } from "./settings";

const LOOK_MS = 2000;
const RETRY_MS = 10_000;
const MANIFEST = /\.(ya?ml|json)$/;

/** Custom resources that manifests for RKE2 use. They are stored; no Helm runs in the sandbox. */
const STORED_KINDS = [
  { group: "helm.cattle.io", kind: "HelmChart", plural: "helmcharts" },
  { group: "helm.cattle.io", kind: "HelmChartConfig", plural: "helmchartconfigs" },
];

/** Writes the manifests that come with the server; those that are disabled are removed. */
export async function writePackagedManifests(settings: Settings, layout: Layout): Promise<void> {
  await mkdir(layout.manifests, { recursive: true, mode: 0o700 });
  const list = (items: readonly unknown[]): string =>
    `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 1)}\n`;
  await writeFile(path.join(layout.manifests, "rke2-standin-crds.json"), list(STORED_KINDS.map(definition)));
  const coredns = path.join(layout.manifests, "rke2-coredns.json");
  if (settings.disable.includes("rke2-coredns")) await rm(coredns, { force: true });
  else await writeFile(coredns, list(corednsObjects(settings)));
}

/**
 * Applies every file of `server/manifests` and its folders that is new or has changed, for as long as the server runs.
 * A file with `.skip` beside it is left alone. As in RKE2, what is taken out of the folder stays in the cluster.
 */
export async function runDeployController(settings: Settings, layout: Layout): Promise<never> {
  const applied = new Map<string, string>();
  const complained = new Map<string, string>();
  const later = new Map<string, number>();
  for (;;) {
    for (const file of await manifests(layout.manifests)) {
      const text = await readFile(file).catch(() => undefined);
      if (text === undefined) continue;
      const digest = createHash("sha256").update(text).digest("hex");
      if (applied.get(file) === digest || (later.get(file + digest) ?? 0) > Date.now()) continue;
      const problem = await apply(file, settings, layout);
      if (problem === undefined) {
        applied.set(file, digest);
        complained.delete(file);
        log("info", `Applied manifest ${file}`);
        continue;
      }
      later.set(file + digest, Date.now() + RETRY_MS);
      if (complained.get(file) !== problem) {
        complained.set(file, problem);
        log("warning", `Failed to process config: failed to apply ${file}: ${problem}`);
      }
    }
    await pause(LOOK_MS);
  }
}

async function apply(file: string, settings: Settings, layout: Layout): Promise<string | undefined> {
  const kubectl = [
    path.join(layout.bin, "kubectl"),
    "--kubeconfig",
    path.join(layout.cred, "admin.kubeconfig"),
  ];
  const how = ["--server-side", "--force-conflicts", `--field-manager=deploy@${settings.nodeName}`];
  try {
    const result = await attempt([...kubectl, "apply", ...how, "-f", file], { timeoutMs: 60_000 });
    return result.code === 0 ? undefined : result.stderr.trim();
  } catch (error) {
    return errorMessage(error);
  }
}

async function manifests(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  return names
    .filter((name) => MANIFEST.test(name) && !names.includes(`${name}.skip`))
    .sort()
    .map((name) => path.join(folder, name));
}

function definition({ group, kind, plural }: (typeof STORED_KINDS)[number]): unknown {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: open } }],
    },
  };
}
