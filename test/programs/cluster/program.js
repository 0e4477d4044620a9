// The stack's config is the cluster:
//
//   cluster:name     its name (default "main")
//   cluster:args     the arguments of `Cluster`, without the login key
//   cluster:sshKey   the private key for the nodes (secret); leave it out to have one made
//
// For RKE2 in the sandbox, for example:
//
//   cluster:args:
//     version: v1.35.4+rke2r1
//     network: { zones: 3, privateEndpoints: false, flowLogs: false }
//     selfManaged:
//       bootstrap: true
//       snapshotVolumes: false            # the sandbox's AWS has no Data Lifecycle Manager
//       hardening: { cis: false }
//       servers: { retain: false, instanceType: t3.medium }
//       release: { url: http://169.254.169.251:8080 }
//       awsEndpoints: { ssm: http://169.254.169.251:4566, autoScaling: http://169.254.169.251:4566 }
//     pools: [{ name: web, count: 2 }]

import { Cluster } from "fleetwright/components/cluster";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";

const config = new pulumi.Config();
const args = config.requireObject("args");
const key =
  config.getSecret("sshKey") ??
  (args.selfManaged === undefined || args.selfManaged.login?.privateKey !== undefined
    ? ""
    : new tls.PrivateKey("login", { algorithm: "ED25519" }).privateKeyOpenssh);
const cluster = new Cluster(config.get("name") ?? "main", {
  ...args,
  ...(args.selfManaged === undefined
    ? {}
    : { selfManaged: { ...args.selfManaged, login: { privateKey: key, ...args.selfManaged.login } } }),
});

export const kubeconfig = cluster.kubeconfig;
export const endpoint = cluster.endpoint;
export const nodePools = cluster.nodePools;
export const stateVolumes = cluster.stateVolumes;
export const version = cluster.version;
export const sshKey = pulumi.secret(key);
