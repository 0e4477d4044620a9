// The account that a hub has in a member: with the rights of a syncer and no others, and a token that ends with it.
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { load } from "js-yaml";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed } from "../transform";
import type { FleetTransforms } from "./fleet-args";
import type { MemberSettings } from "./fleet-problems";
import { RESTRICTED } from "./restricted";
import declared from "./roles.json";

/** Not that of `Hub`: the cluster that a hub runs in may be a member, too. */
const NAME = "fleetwright-hub-access";
const VERBS = ["get", "list", "watch", "create", "patch", "delete"];

/** Declares the account of the hub in a member, and gives the kubeconfig for it: a secret. */
export function memberAccount(
  parent: pulumi.ComponentResource,
  name: string,
  { kubeconfig, kinds }: MemberSettings,
  labels: Labels,
  transform: FleetTransforms,
): pulumi.Output<string> {
  const provider = new kubernetes.Provider(
    name,
    { kubeconfig: pulumi.secret(kubeconfig), clusterIdentifier: name, enableServerSideApply: true },
    { parent },
  );
  const opts = { parent, provider };
  // A namespace of its own: the product's belongs to the cluster's own stack.
  const namespace = new kubernetes.core.v1.Namespace(
    name,
    { metadata: metadataOf(NAME, { ...labels, ...RESTRICTED }) },
    opts,
  );
  const own = { ...metadataOf(NAME, labels), namespace: namespace.metadata.name };
  new kubernetes.networking.v1.NetworkPolicy(
    name,
    { metadata: own, spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] } },
    opts,
  );
  const account = new kubernetes.core.v1.ServiceAccount(
    ...transformed<kubernetes.core.v1.ServiceAccountArgs>(
      transform.account,
      name,
      { metadata: own, automountServiceAccountToken: false },
      opts,
    ),
  );
  const extra = kinds.map((kind) => {
    const dot = kind.indexOf(".");
    return { apiGroups: [kind.slice(dot + 1)], resources: [kind.slice(0, dot)], verbs: VERBS };
  });
  const role = new kubernetes.rbac.v1.ClusterRole(
    ...transformed<kubernetes.rbac.v1.ClusterRoleArgs>(
      transform.clusterRole,
      name,
      { metadata: metadataOf(NAME, labels), rules: [...declared.syncer, ...extra] },
      opts,
    ),
  );
  const binding = new kubernetes.rbac.v1.ClusterRoleBinding(
    name,
    {
      metadata: metadataOf(NAME, labels),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
      subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace: namespace.metadata.name }],
    },
    opts,
  );
  const metadata = metadataOf(NAME, labels);
  const token = new kubernetes.core.v1.Secret(
    name,
    {
      metadata: {
        ...own,
        annotations: {
          ...metadata.annotations,
          "kubernetes.io/service-account.name": account.metadata.name,
        },
      },
      type: "kubernetes.io/service-account-token",
    },
    // Whoever has the token can use it: it has its rights by then.
    { ...opts, dependsOn: [binding], additionalSecretOutputs: ["data"] },
  );
  return pulumi.secret(
    pulumi.all([kubeconfig, token.data]).apply(([text, data]) => {
      // A preview knows of no data.
      const { token: issued = "" } = { ...data };
      return kubeconfigFor(text, issued);
    }),
  );
}

interface Kubeconfig {
  "current-context"?: string;
  contexts?: { name: string; context?: { cluster?: string } }[];
  clusters?: { name: string; cluster?: Record<string, unknown> }[];
}

/** The kubeconfig of an account: the cluster of an administrator's kubeconfig, and the account's token in Base64. */
export function kubeconfigFor(administrators: string, token: string): string {
  const config = load(administrators) as Kubeconfig;
  const context = config.contexts?.find(({ name }) => name === config["current-context"])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  if (cluster === undefined)
    throw new Error("The kubeconfig of a member has no current context: give one that names its cluster.");
  if (!("certificate-authority-data" in cluster))
    throw new Error(
      "The kubeconfig of a member has no certificate-authority-data: put the certificate into it, instead of the name of a file.",
    );
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "member",
    clusters: [{ name: "member", cluster }],
    users: [{ name: "hub", user: { token: Buffer.from(token, "base64").toString("utf8") } }],
    contexts: [{ name: "member", context: { cluster: "member", user: "hub" } }],
  });
}
