// `npm run hub -- register`: a Cluster on the hub, and what its syncer needs to reach both sides.
import { parseArgs } from "node:util";
import { connect, type Endpoint } from "../access/connection";
import { SYSTEM_NAMESPACE } from "../api";
import { CLUSTERS, SECRETS, type ClusterObject } from "../controllers/hub/kinds";
import { isAlreadyExists, isNotFound, type ApiClient } from "../controllers/runtime";
import { NAMESPACES } from "../controllers/syncer/kinds";
import { ExitCode, Failure } from "../lib/failure";
import { writePrivate } from "../lib/files";
import { bootstrapKubeconfig, bootstrapToken, ensure, LABELS } from "./bootstrap";
import { clusterIn } from "./cluster-name";
import { installation, kindsIn, manifestOf, type InstalledObject } from "./install";
import { applyTo } from "./member";
import { minified } from "./member-kubeconfig";

/** What `register --help` prints. */
export const REGISTER_HELP = `Makes a cluster known to a hub.

Usage: npm run -s hub -- register east --member east.kubeconfig --accept
       npm run -s hub -- register west --install --image IMAGE | kubectl --context west apply -f -
       npm run -s hub -- register west --output west.bootstrap

  --member FILE       the hub calls the cluster with this kubeconfig (push)
  --install           prints what the cluster needs so that the syncer runs in it and calls the hub (pull): it holds a one-time token
  --image IMAGE       with --install: the syncer's image, by its digest (FLEETWRIGHT_SYNCER_IMAGE)
  --kinds LIST        with --install: kinds of definitions that it places as well, as resource.group, separated by commas
  --apply             with --install and --member: applies it there instead of printing it
  --output FILE       where the kubeconfig with the one-time token goes, for a syncer that a person starts (none); with
                      --install, where the manifest goes. Only you can read it
  --server URL        the hub's address as the cluster reaches it (that of the kubeconfig)
  --member-context N  the context in the file of --member (the current one)
  --accept            accepts the cluster, too; otherwise an administrator does it later

  --kubeconfig FILE   the administrator's kubeconfig of the hub (KUBECONFIG, or ~/.kube/config)
  --context NAME      its context (the current one)`;

const OPTIONS = {
  member: { type: "string" },
  "member-context": { type: "string" },
  output: { type: "string" },
  install: { type: "boolean", default: false },
  image: { type: "string" },
  kinds: { type: "string" },
  apply: { type: "boolean", default: false },
  server: { type: "string" },
  accept: { type: "boolean", default: false },
  kubeconfig: { type: "string" },
  context: { type: "string" },
} as const;

/** The name of the Secret with a cluster's kubeconfig. */
export function secretOf(cluster: string): { name: string; namespace: string } {
  return { name: `cluster-${cluster}`, namespace: SYSTEM_NAMESPACE };
}

type Flags = ReturnType<typeof flagsIn>["values"];

function flagsIn(argv: string[]) {
  return parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
}

/** Registers a cluster. */
export async function register(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = flagsIn(argv);
  const { name, namespace } = clusterIn(positionals);
  const mode = modeOf(values);
  const image = mode === "pull" ? imageIn(values) : "";
  const kinds = kindsIn(values.kinds);
  const { client, endpoint: own } = await connect(values);
  const endpoint = { ...own, server: values.server ?? own.server };
  try {
    await mustBeAHub(client, own, signal);
    if (mode === "push") {
      const kubeconfig = await minified(values.member ?? "", values["member-context"]);
      await ensure(client, NAMESPACES, { metadata: { name: SYSTEM_NAMESPACE, labels: LABELS } }, signal);
      await putSecret(client, name, kubeconfig, signal);
      await putCluster(client, name, { mode, secretRef: secretOf(name) }, values.accept, signal);
    } else {
      await putCluster(client, name, { mode }, values.accept, signal);
      const token = await bootstrapToken(client, name, namespace, signal);
      const bootstrap = bootstrapKubeconfig(endpoint, token);
      if (mode === "none") await writePrivate(values.output ?? "", bootstrap);
      else
        await hand(
          installation({ cluster: name, image, server: endpoint.server, bootstrap, kinds }),
          values,
          signal,
        );
    }
  } finally {
    client.close();
  }
  process.stderr.write(nextSteps(name, mode, values));
}

/** By what the cluster is reached, from what was given; throws if that does not go together. */
function modeOf({ member, output, install, apply, image, kinds }: Flags): "push" | "pull" | "none" {
  const refuse = (text: string): never => {
    throw new Failure(text, ExitCode.usage);
  };
  if (install) {
    if (apply && member === undefined)
      refuse(
        "--apply needs --member, a kubeconfig of the cluster: give it, or apply what is printed yourself.",
      );
    if (apply && output !== undefined) refuse("--apply and --output are both given: give one of them.");
    if (!apply && member !== undefined)
      refuse(
        "--install prints a manifest: add --apply to have it applied with --member, or leave --member out.",
      );
    return "pull";
  }
  if (apply || image !== undefined || kinds !== undefined)
    refuse("--apply, --image and --kinds go with --install: add it, or leave them out.");
  if ((member === undefined) === (output === undefined))
    refuse(
      "Give one of --member, a kubeconfig with which the hub calls the cluster; --install, for a syncer in the cluster; and --output, where the one-time token goes for a syncer that you start.",
    );
  return member === undefined ? "none" : "push";
}

function imageIn({ image = process.env.FLEETWRIGHT_SYNCER_IMAGE }: Flags): string {
  if (image !== undefined && /^\S+@sha256:[0-9a-f]{64}$/.test(image)) return image;
  throw new Failure(
    `--image is ${image === undefined ? "missing" : JSON.stringify(image)}: give the syncer's image by its digest, such as registry.example.com/fleetwright/syncer@sha256:…; npm run images -- build --programs syncer makes it.`,
    ExitCode.usage,
  );
}

async function hand(objects: readonly InstalledObject[], flags: Flags, signal: AbortSignal): Promise<void> {
  const { apply, member, output } = flags;
  if (apply) await applyTo(member ?? "", flags["member-context"], objects, signal);
  else if (output === undefined) process.stdout.write(manifestOf(objects));
  else await writePrivate(output, manifestOf(objects));
}

function nextSteps(name: string, mode: "push" | "pull" | "none", { accept, output, apply }: Flags): string {
  const lines = [`${name} is registered${accept ? " and accepted" : ""}.`];
  if (!accept)
    lines.push(
      `Accept it on the hub:  kubectl patch cluster.fleetwright.dev ${name} --type=merge -p '{"spec":{"accepted":true}}'`,
    );
  if (mode === "none")
    lines.push(
      `Within the hour, start its syncer:  npx tsx controllers/syncer/main.ts --cluster ${name} --bootstrap ${output ?? ""} --hub ${name}.hub --member <kubeconfig of ${name}>`,
    );
  if (mode === "pull" && !apply)
    lines.push(
      `Within the hour, apply the manifest in it:  kubectl --context <${name}> apply -f ${output ?? "-"}`,
    );
  lines.push(`See how it goes:  kubectl get cluster.fleetwright.dev ${name}`);
  return `${lines.join("\n")}\n`;
}

async function mustBeAHub(client: ApiClient, { server }: Endpoint, signal: AbortSignal): Promise<void> {
  try {
    await client.request({
      method: "GET",
      path: "/apis/fleetwright.dev/v1/clusters",
      query: { limit: 1 },
      signal,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Failure(
      `${server} serves no clusters.fleetwright.dev, so it is no hub: apply api/hub/crds there, or use the --kubeconfig of the hub.`,
      ExitCode.failed,
      { cause: error },
    );
  }
}

async function putSecret(
  client: ApiClient,
  cluster: string,
  kubeconfig: string,
  signal: AbortSignal,
): Promise<void> {
  const ref = secretOf(cluster);
  const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
  try {
    await client.create(SECRETS, { metadata: { ...ref, labels: LABELS }, type: "Opaque", data }, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.patch(SECRETS, ref, { data }, { signal });
  }
}

async function putCluster(
  client: ApiClient,
  name: string,
  connection: ClusterObject["spec"]["connection"],
  accept: boolean,
  signal: AbortSignal,
): Promise<void> {
  const spec = { connection, ...(accept ? { accepted: true } : {}) };
  try {
    await client.create(CLUSTERS, { metadata: { name }, spec } as ClusterObject, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.get(CLUSTERS, { name }, signal);
    if (found.metadata.deletionTimestamp !== undefined)
      throw new Failure(
        `The Cluster ${name} is being taken out: wait until kubectl get clusters.fleetwright.dev lacks it.`,
      );
    if (found.spec.connection.mode !== connection.mode)
      throw new Failure(
        `The Cluster ${name} is there already, in the mode ${found.spec.connection.mode}: take it out first by npm run hub -- unregister ${name}, or use another name.`,
      );
    await client.patch(CLUSTERS, { name }, { spec }, { signal });
  }
}
