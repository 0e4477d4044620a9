import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { API_VERSION, crdOf, HUB_KIND_NAMES, SYSTEM_NAMESPACE } from "../../api";
import { metadataOf } from "../addons/declaration";
import { settingsOf } from "../schema";
import { transformed, withoutTransform } from "../transform";
import type { FleetArgs } from "./fleet-args";
import { checkFleet, type FleetSettings, type MemberSettings } from "./fleet-problems";
import { memberAccount } from "./member-account";
import { RESTRICTED } from "./restricted";

/**
 * The members of a hub: what the hub needs to serve its kinds, an account for it in every member, and a Cluster for each. Its
 * controllers have to run, such as `HubControllers`: they take a member in, and let go of one that is no longer declared.
 *
 * @example
 * const hub = new Hub("hub", { image: hubImage }, { provider });
 * new HubControllers("hub-controllers", { image, namespace: hub.namespace, kubeconfig: hub.kubeconfig }, { provider });
 * new Fleet("fleet", { hub: hub.kubeconfig, members: [{ name: "east", kubeconfig: east.kubeconfig }] });
 */
export class Fleet extends pulumi.ComponentResource {
  /** The hub's kubeconfig, when everything is declared there: a secret. */
  readonly hubKubeconfig: pulumi.Output<string>;
  /** The Clusters on the hub, by the names of the members. */
  readonly clusters: Record<string, kubernetes.apiextensions.CustomResource>;

  constructor(name: string, args: FleetArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf("fleet", checkFleet(args), opts.parent);
    const secrets = { hub: pulumi.secret(args.hub), members: pulumi.secret(args.members) };
    super("fleetwright:index:Fleet", name, { ...withoutTransform(args), ...secrets }, opts);
    const hub = new kubernetes.Provider(
      `${name}-hub`,
      { kubeconfig: secrets.hub, clusterIdentifier: `${name}/hub`, enableServerSideApply: true },
      { parent: this },
    );
    const onHub = { parent: this, provider: hub };
    const needed = settings.kinds ? this.#kinds(name, settings, { ...onHub, retainOnDelete: true }) : [];
    const members = settings.members.map(
      (member) => [member.name, this.#member(name, member, args, needed, onHub)] as const,
    );
    this.clusters = Object.fromEntries(members);
    const declared = members.map(([, cluster]) => cluster.id);
    this.hubKubeconfig = pulumi.secret(
      pulumi.all([secrets.hub, ...declared]).apply(([kubeconfig = ""]) => kubeconfig),
    );
    this.registerOutputs({ hubKubeconfig: this.hubKubeconfig });
  }

  /** The kinds, and the namespace in which the credentials of members and the lease of the controllers lie. */
  #kinds(name: string, { labels }: FleetSettings, opts: pulumi.CustomResourceOptions): pulumi.Resource[] {
    const namespace = new kubernetes.core.v1.Namespace(
      `${name}-system`,
      { metadata: metadataOf(SYSTEM_NAMESPACE, { ...labels, ...RESTRICTED }) },
      opts,
    );
    const closed = new kubernetes.networking.v1.NetworkPolicy(
      `${name}-system`,
      {
        metadata: { ...metadataOf("closed", labels), namespace: namespace.metadata.name },
        spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
      },
      opts,
    );
    const kinds = HUB_KIND_NAMES.map((kind) => {
      const { metadata, spec } = crdOf(kind);
      return new kubernetes.apiextensions.v1.CustomResourceDefinition(
        `${name}-${spec.names.plural}`,
        {
          metadata: metadataOf(metadata.name, labels),
          // As plain JSON: schemas share parts with each other and are read-only, which inputs must not be.
          spec: JSON.parse(
            JSON.stringify(spec),
          ) as kubernetes.types.input.apiextensions.v1.CustomResourceDefinitionSpec,
        },
        opts,
      );
    });
    return [namespace, closed, ...kinds];
  }

  #member(
    name: string,
    member: MemberSettings,
    { labels = {}, transform = {} }: FleetArgs,
    needed: pulumi.Resource[],
    onHub: pulumi.CustomResourceOptions,
  ): kubernetes.apiextensions.CustomResource {
    const { accepted, onRemove, topology } = member;
    const kubeconfig = memberAccount(this, `${name}-${member.name}`, member, labels, transform);
    const secret = new kubernetes.core.v1.Secret(
      // Not the name of the token in the member, of which it is made.
      `${name}-${member.name}-access`,
      {
        metadata: { ...metadataOf(`cluster-${member.name}`, labels), namespace: SYSTEM_NAMESPACE },
        stringData: { kubeconfig },
      },
      { ...onHub, dependsOn: needed },
    );
    const secretRef = { name: `cluster-${member.name}`, namespace: SYSTEM_NAMESPACE };
    return new kubernetes.apiextensions.CustomResource(
      ...transformed<kubernetes.apiextensions.CustomResourceArgs>(
        transform.cluster,
        `${name}-${member.name}`,
        {
          apiVersion: API_VERSION,
          kind: "Cluster",
          metadata: metadataOf(member.name, labels),
          spec: { connection: { mode: "push", secretRef }, accepted, onRemove, topology },
        },
        // It goes first, and ends only when its syncer has let go of the member: until then it needs its credentials.
        { ...onHub, dependsOn: [...needed, secret] },
      ),
    );
  }
}
