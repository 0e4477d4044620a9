// The component `Hub`: the API server of a hub as a Deployment in a platform cluster, with its certificates and Services.
import { createHash } from "node:crypto";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { metadataOf } from "../addons/declaration";
import { settingsOf } from "../schema";
import { transformed, withoutTransform } from "../transform";
import type { HubArgs } from "./args";
import { hubCertificates } from "./certificates";
import { hubConfiguration } from "./configuration";
import { hubContainers, hubVolumes, PORT } from "./containers";
import { hubKubeconfig } from "./kubeconfig";
import { checkHub, type HubSettings } from "./problems";
import { RESTRICTED } from "./restricted";

const NAME = "fleetwright-hub";
const SELECTOR = { "app.kubernetes.io/name": NAME };

/**
 * The hub's API server in a platform cluster: one server with its own etcd on a volume, or three on an etcd of yours. It
 * has no rights in the cluster that it runs in.
 *
 * @example
 * const hub = new Hub("hub", { image: "registry.example.com/fleetwright/hub-apiserver@sha256:…" }, { provider });
 * export const kubeconfig = hub.kubeconfig;
 */
export class Hub extends pulumi.ComponentResource {
  readonly namespace: pulumi.Output<string>;
  /** The URL by which it is reached. */
  readonly endpoint: pulumi.Output<string>;
  /** The certificate of the authority that vouches for the server. */
  readonly authority: pulumi.Output<string>;
  /** The stack's own way in, above all rules: a secret. People get rights of their own. */
  readonly kubeconfig: pulumi.Output<string>;

  constructor(name: string, args: HubArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf("hub", checkHub(args), opts.parent);
    super("fleetwright:index:Hub", name, withoutTransform(args), opts);
    const { labels, retain, etcd } = settings;
    const transform = args.transform ?? {};
    const parent = { parent: this };
    const service = `${NAME}.${settings.namespace}.svc`;
    const namespace = new kubernetes.core.v1.Namespace(
      ...transformed<kubernetes.core.v1.NamespaceArgs>(
        transform.namespace,
        name,
        { metadata: metadataOf(settings.namespace, { ...labels, ...RESTRICTED }) },
        { ...parent, protect: retain, retainOnDelete: retain },
      ),
    );
    this.namespace = namespace.metadata.name;
    this.endpoint = pulumi.output(settings.endpoint ?? `https://${service}`);
    const own = (of: string): kubernetes.types.input.meta.v1.ObjectMeta => ({
      ...metadataOf(of, { ...labels, ...SELECTOR }),
      namespace: this.namespace,
    });

    const certificates = hubCertificates(this, name, {
      hosts: [
        "localhost",
        "127.0.0.1",
        ...[NAME, `${NAME}.${settings.namespace}`, service, `${service}.cluster.local`],
        ...(settings.endpoint === undefined ? [] : [this.endpoint.apply((url) => new URL(url).hostname)]),
      ],
      retain,
      controllerManager: settings.server === "kube-apiserver",
    });
    this.authority = certificates.authority;
    this.kubeconfig = hubKubeconfig(NAME, this.endpoint, certificates.authority, certificates.admin);

    const keys = new kubernetes.core.v1.Secret(
      `${name}-keys`,
      { metadata: own(`${NAME}-keys`), stringData: certificates.files },
      parent,
    );
    const controllers =
      certificates.controllerManager === undefined
        ? undefined
        : new kubernetes.core.v1.Secret(
            `${name}-controllers`,
            {
              metadata: own(`${NAME}-controllers`),
              stringData: {
                kubeconfig: hubKubeconfig(
                  NAME,
                  `https://localhost:${PORT}`,
                  certificates.authority,
                  certificates.controllerManager,
                ),
              },
            },
            parent,
          );
    const files = hubConfiguration();
    const configuration = new kubernetes.core.v1.ConfigMap(
      `${name}-configuration`,
      { metadata: own(`${NAME}-configuration`), data: files },
      parent,
    );
    const claim = etcd === undefined ? this.#volume(name, settings, own(NAME), args) : undefined;
    const account = new kubernetes.core.v1.ServiceAccount(
      name,
      { metadata: own(NAME), automountServiceAccountToken: false },
      parent,
    );
    const policy = new kubernetes.networking.v1.NetworkPolicy(
      ...transformed<kubernetes.networking.v1.NetworkPolicyArgs>(
        transform.networkPolicy,
        name,
        { metadata: own(NAME), spec: networkPolicy(settings) },
        parent,
      ),
    );
    const restart = pulumi
      .all([certificates.readAtStart, JSON.stringify(files)])
      .apply((parts) => createHash("sha256").update(parts.join("")).digest("hex"));
    new kubernetes.apps.v1.Deployment(
      ...transformed<kubernetes.apps.v1.DeploymentArgs>(
        transform.deployment,
        name,
        {
          metadata: own(NAME),
          spec: {
            replicas: etcd?.replicas ?? 1,
            selector: { matchLabels: SELECTOR },
            // Two of them on one etcd of their own would be two on one volume.
            strategy:
              etcd === undefined
                ? { type: "Recreate" }
                : { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
            template: {
              metadata: {
                labels: { ...labels, ...SELECTOR },
                annotations: { "fleetwright.dev/read-at-start": restart },
              },
              spec: {
                serviceAccountName: account.metadata.name,
                automountServiceAccountToken: false,
                enableServiceLinks: false,
                terminationGracePeriodSeconds: 60,
                topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map(
                  (topologyKey) => ({
                    topologyKey,
                    maxSkew: 1,
                    whenUnsatisfiable: "ScheduleAnyway",
                    labelSelector: { matchLabels: SELECTOR },
                  }),
                ),
                securityContext: {
                  runAsNonRoot: true,
                  runAsUser: 65532,
                  runAsGroup: 65532,
                  fsGroup: 65532,
                  fsGroupChangePolicy: "OnRootMismatch",
                  seccompProfile: { type: "RuntimeDefault" },
                },
                containers: hubContainers(settings, `https://${service}`),
                volumes: hubVolumes(settings, {
                  keys: keys.metadata.name,
                  configuration: configuration.metadata.name,
                  claim: claim?.metadata.name,
                  controllers: controllers?.metadata.name,
                }),
              },
            },
          },
        },
        // Nobody reaches it, and it reaches nobody, before the policy says who may.
        { ...parent, dependsOn: [policy] },
      ),
    );
    if (etcd !== undefined && etcd.replicas > 1) {
      new kubernetes.policy.v1.PodDisruptionBudget(
        name,
        { metadata: own(NAME), spec: { maxUnavailable: 1, selector: { matchLabels: SELECTOR } } },
        parent,
      );
    }
    new kubernetes.core.v1.Service(
      ...transformed<kubernetes.core.v1.ServiceArgs>(
        transform.service,
        name,
        {
          metadata: own(NAME),
          spec: { selector: SELECTOR, ports: [{ name: "api", port: 443, targetPort: "api" }] },
        },
        parent,
      ),
    );
    this.registerOutputs({
      namespace: this.namespace,
      endpoint: this.endpoint,
      authority: this.authority,
      kubeconfig: this.kubeconfig,
    });
  }

  /** The claim of the volume with the data, which stays when all else goes. */
  #volume(
    name: string,
    { volume, retain }: HubSettings,
    metadata: kubernetes.types.input.meta.v1.ObjectMeta,
    { transform }: HubArgs,
  ): kubernetes.core.v1.PersistentVolumeClaim {
    return new kubernetes.core.v1.PersistentVolumeClaim(
      ...transformed<kubernetes.core.v1.PersistentVolumeClaimArgs>(
        transform?.volume,
        name,
        {
          metadata: {
            ...metadata,
            // It is bound only when the pod that uses it comes, which is declared after it.
            annotations: { ...metadataOf(NAME).annotations, "pulumi.com/skipAwait": "true" },
          },
          spec: {
            accessModes: ["ReadWriteOncePod"],
            resources: { requests: { storage: volume.size } },
            ...(volume.storageClass === undefined ? {} : { storageClassName: volume.storageClass }),
          },
        },
        { parent: this, protect: retain, retainOnDelete: retain },
      ),
    );
  }
}

/** Members and people in, at the API's port; out to an etcd of yours and the names of its members, if there is one. */
function networkPolicy({ etcd }: HubSettings): kubernetes.types.input.networking.v1.NetworkPolicySpec {
  return {
    podSelector: { matchLabels: SELECTOR },
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ ports: [{ port: PORT, protocol: "TCP" }] }],
    egress:
      etcd === undefined
        ? []
        : [
            { ports: ["UDP", "TCP"].map((protocol) => ({ port: 53, protocol })) },
            {
              to: etcd.networks.map((cidr) => ({ ipBlock: { cidr } })),
              ports: [{ port: 2379, protocol: "TCP" }],
            },
          ],
  };
}
