// The component `HostedCluster`: EKS with its roles, key, access entries, add-ons and node groups.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { SYSTEM_NAMESPACE, TEAM_GROUP_PREFIX, USER_NAME_PREFIX } from "../../../api";
import type { HostedClusterArgs, HostedClusterTransforms } from "./args";
import { eksRoles, type EksRoles } from "./roles";
import { managedNodeGroup } from "./node-group";
import { checkHostedCluster } from "./problems";
import { ACCESS_LEVELS, type HostedClusterSettings } from "./schema";
import type { NodePoolOutput, StateVolumeOutput } from "../outputs";
import { settingsOf } from "../../schema";
import { transformed, withoutTransform } from "../../transform";
import type { OidcSettings } from "../identity/schema";
import { partitionOf } from "../iam-policy";
import { configuredIdentity, tokenIdentity } from "./token-identity";
import { yaml } from "../yaml";

const LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"];

/**
 * A Kubernetes cluster whose control plane the cloud runs: EKS, with access by the API only, a private endpoint, Secrets
 * encrypted by a key of its own, all logs, and managed node groups.
 *
 * @example
 * const cluster = new HostedCluster("main", {
 *   network: network.reference,
 *   version: "1.35",
 *   pools: [{ name: "web", count: 3 }],
 *   access: [{ name: "operators", principalArn: "arn:aws:iam::…:role/operators", level: "ClusterAdmin" }],
 * });
 */
export class HostedCluster extends pulumi.ComponentResource {
  /** For administrators: asks the AWS CLI for a token. A secret. */
  readonly kubeconfig: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  readonly nodePools: pulumi.Output<NodePoolOutput[]>;
  /** None: the cloud keeps the state. */
  readonly stateVolumes: pulumi.Output<StateVolumeOutput[]>;
  readonly version: pulumi.Output<string>;

  readonly #name: string;
  readonly #args: HostedClusterSettings;
  readonly #transform: HostedClusterTransforms;

  constructor(name: string, args: HostedClusterArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const settings = settingsOf(
      `cluster ${JSON.stringify(name)}`,
      checkHostedCluster(name, args),
      opts.parent,
    );
    super("fleetwright:index:HostedCluster", name, withoutTransform(args), opts);
    this.#name = name;
    this.#args = settings;
    this.#transform = args.transform ?? {};
    const identity = eksRoles(name, settings.tags, this.#transform, this);
    const cluster = this.#controlPlane(identity);
    for (const access of settings.access) this.#access(cluster, access);
    const { oidc } = settings.identity;
    if (oidc !== undefined) this.#identityProvider(cluster, oidc);
    const before = this.#addonsBeforeNodes(cluster, identity);
    const pools = settings.pools.map((pool) =>
      managedNodeGroup(
        name,
        pool,
        { args: settings, cluster, role: identity.nodes, dependsOn: [...before, ...identity.attachments] },
        this.#transform,
        this,
      ),
    );
    this.#addonsOnNodes(cluster, identity, pools);
    this.#podRole(cluster, "fleetwright-coordinator", identity.coordinator, SYSTEM_NAMESPACE);
    this.endpoint = cluster.endpoint;
    this.version = cluster.version;
    this.kubeconfig = pulumi.secret(this.#kubeconfig(cluster));
    this.stateVolumes = pulumi.output([]);
    this.nodePools = pulumi.output(
      pools.map((pool, index) => ({
        name: settings.pools[index]?.name ?? "",
        count: settings.pools[index]?.count ?? 0,
        groupName: pool.nodeGroupName,
      })),
    );
    this.registerOutputs({
      kubeconfig: this.kubeconfig,
      endpoint: this.endpoint,
      nodePools: this.nodePools,
      stateVolumes: this.stateVolumes,
      version: this.version,
    });
  }

  #controlPlane(identity: EksRoles): aws.eks.Cluster {
    const name = this.#name;
    const args = this.#args;
    const tags = { ...args.tags, Name: name };
    const parent = { parent: this };
    const isPublic = args.api.isPublic;
    const isProtected = args.deletionProtection;
    // EKS would make it by itself, and keep everything for ever.
    const logs = new aws.cloudwatch.LogGroup(
      ...transformed<aws.cloudwatch.LogGroupArgs>(
        this.#transform.logGroup,
        `${name}-logs`,
        { name: `/aws/eks/${name}/cluster`, retentionInDays: args.logDays, tags },
        parent,
      ),
    );
    return new aws.eks.Cluster(
      ...transformed<aws.eks.ClusterArgs>(
        this.#transform.cluster,
        name,
        {
          name,
          roleArn: identity.cluster.arn,
          version: args.version,
          accessConfig: {
            authenticationMode: "API",
            bootstrapClusterCreatorAdminPermissions: args.creatorIsAdmin,
          },
          // The add-ons below take their place.
          bootstrapSelfManagedAddons: false,
          deletionProtection: isProtected,
          enabledClusterLogTypes: LOGS,
          encryptionConfig: { provider: { keyArn: args.kmsKeyArn ?? this.#key() }, resources: ["secrets"] },
          ...(args.serviceCidr === undefined
            ? {}
            : { kubernetesNetworkConfig: { serviceIpv4Cidr: args.serviceCidr } }),
          upgradePolicy: { supportType: "STANDARD" },
          vpcConfig: {
            subnetIds: args.network.privateSubnets.map(({ id }) => id),
            endpointPrivateAccess: true,
            endpointPublicAccess: isPublic,
            ...(isPublic ? { publicAccessCidrs: args.api.cidrs } : {}),
          },
          tags,
        },
        {
          ...parent,
          protect: isProtected,
          dependsOn: [logs, ...identity.attachments],
          // It counts at the creation; a change would replace the cluster.
          ignoreChanges: ["accessConfig.bootstrapClusterCreatorAdminPermissions"],
        },
      ),
    );
  }

  #key(): pulumi.Output<string> {
    const key = new aws.kms.Key(
      `${this.#name}-secrets`,
      {
        description: `Secrets of the cluster ${this.#name}`,
        enableKeyRotation: true,
        deletionWindowInDays: 30,
        tags: { ...this.#args.tags },
      },
      { parent: this, protect: this.#args.deletionProtection },
    );
    return key.arn;
  }

  #access(
    cluster: aws.eks.Cluster,
    { name, principalArn, level, namespaces }: HostedClusterSettings["access"][number],
  ): void {
    const own = `${this.#name}-${name}`;
    const common = { clusterName: cluster.name, principalArn };
    const entry = new aws.eks.AccessEntry(own, { ...common, tags: { ...this.#args.tags } }, { parent: this });
    new aws.eks.AccessPolicyAssociation(
      own,
      {
        ...common,
        policyArn: partitionOf(this).apply(
          ({ partition }) => `arn:${partition}:eks::aws:cluster-access-policy/${ACCESS_LEVELS[level]}`,
        ),
        accessScope: namespaces === undefined ? { type: "cluster" } : { type: "namespace", namespaces },
      },
      { parent: this, dependsOn: [entry] },
    );
  }

  /** Names have the same prefixes as on RKE2, without which a claim could be the name of a part of Kubernetes. */
  #identityProvider(cluster: aws.eks.Cluster, oidc: OidcSettings): void {
    const { issuer, clientId, usernameClaim, groupsClaim, requiredClaims } = oidc;
    new aws.eks.IdentityProviderConfig(
      ...transformed<aws.eks.IdentityProviderConfigArgs>(
        this.#transform.identityProvider,
        `${this.#name}-oidc`,
        {
          clusterName: cluster.name,
          oidc: {
            identityProviderConfigName: "oidc",
            issuerUrl: issuer,
            clientId,
            usernameClaim,
            usernamePrefix: USER_NAME_PREFIX,
            ...(groupsClaim === undefined ? {} : { groupsClaim, groupsPrefix: TEAM_GROUP_PREFIX }),
            ...(Object.keys(requiredClaims).length === 0 ? {} : { requiredClaims }),
          },
          tags: { ...this.#args.tags },
        },
        { parent: this },
      ),
    );
  }

  #addon(cluster: aws.eks.Cluster, addonName: string, dependsOn: pulumi.Resource[]): aws.eks.Addon {
    const version = this.#args.addonVersions[addonName] ?? this.#defaultVersion(addonName);
    return new aws.eks.Addon(
      ...transformed<aws.eks.AddonArgs>(
        this.#transform.addon,
        `${this.#name}-${addonName}`,
        {
          clusterName: cluster.name,
          addonName,
          resolveConflictsOnCreate: "OVERWRITE",
          resolveConflictsOnUpdate: "PRESERVE",
          addonVersion: version,
          tags: { ...this.#args.tags },
        },
        { parent: this, dependsOn },
      ),
    );
  }

  /** The one that EKS has for the cluster's version: without it an add-on would stay what it was when it was made. */
  #defaultVersion(addonName: string): pulumi.Output<string> {
    const kubernetesVersion = this.#args.version;
    return aws.eks.getAddonVersionOutput({ addonName, kubernetesVersion }, { parent: this }).version;
  }

  #podRole(
    cluster: aws.eks.Cluster,
    serviceAccount: string,
    role: aws.iam.Role,
    namespace = "kube-system",
  ): aws.eks.PodIdentityAssociation {
    return new aws.eks.PodIdentityAssociation(
      `${this.#name}-${serviceAccount}`,
      {
        clusterName: cluster.name,
        namespace,
        serviceAccount,
        roleArn: role.arn,
        tags: { ...this.#args.tags },
      },
      { parent: this },
    );
  }

  /** Nodes need a network and the pods' roles from their first minute. */
  #addonsBeforeNodes(cluster: aws.eks.Cluster, identity: EksRoles): aws.eks.Addon[] {
    const agent = this.#addon(cluster, "eks-pod-identity-agent", []);
    const role = this.#podRole(cluster, "aws-node", identity.network);
    return [agent, this.#addon(cluster, "kube-proxy", []), this.#addon(cluster, "vpc-cni", [agent, role])];
  }

  /** These wait for a node to run on. */
  #addonsOnNodes(cluster: aws.eks.Cluster, identity: EksRoles, pools: aws.eks.NodeGroup[]): void {
    this.#addon(cluster, "coredns", pools);
    const role = this.#podRole(cluster, "ebs-csi-controller-sa", identity.volumes);
    this.#addon(cluster, "aws-ebs-csi-driver", [...pools, role]);
  }

  #kubeconfig(cluster: aws.eks.Cluster): pulumi.Output<string> {
    const region = aws.getRegionOutput({}, { parent: this }).region;
    const name = this.#name;
    const identity = tokenIdentity(configuredIdentity());
    return pulumi
      .all([cluster.endpoint, cluster.certificateAuthority.data, region])
      .apply(([server, authority, here]) =>
        yaml({
          apiVersion: "v1",
          kind: "Config",
          clusters: [{ name, cluster: { server, "certificate-authority-data": authority } }],
          users: [
            {
              name: `${name}-admin`,
              user: {
                exec: {
                  apiVersion: "client.authentication.k8s.io/v1",
                  command: "aws",
                  args: [...["--region", here, "eks", "get-token", "--cluster-name", name], ...identity.args],
                  ...(identity.env.length === 0 ? {} : { env: identity.env }),
                  interactiveMode: "Never",
                  installHint: "The kubeconfig of an EKS cluster needs the AWS CLI, version 2.",
                },
              },
            },
          ],
          contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
          "current-context": name,
        }),
      );
  }
}
