import type { Level } from "./judge/policy";

/** A rule of the catalogue that the packs were built from. */
export interface CatalogueRule {
  readonly rule: string;
  readonly level: Level;
}

const must = (rule: string): CatalogueRule => ({ rule, level: "MUST" });
const should = (rule: string): CatalogueRule => ({ rule, level: "SHOULD" });

/**
 * The rules that the packs were built from, by their number (the first is 1). A policy names those that it carries out; some
 * rules became several policies, each with a message of its own.
 */
export const CATALOGUE: readonly CatalogueRule[] = [
  must("EBS volumes are encrypted"),
  must("Volumes with state use a key of one's own"),
  must("Root and further disks of machines are encrypted"),
  must("EBS encrypts by default"),
  must("Copies of snapshots are encrypted and never public"),
  must("IMDSv2 is required"),
  must("Metadata answers reach one hop"),
  must("Nodes have no public address"),
  must("Subnets give no public addresses"),
  must("SSH is not open to the world"),
  must("The ports of a cluster are not open to the world"),
  should("Egress is restricted"),
  should("Security groups and rules are described"),
  must("The default security group is closed"),
  must("Networks have flow logs"),
  must("Network ACLs do not open SSH and RDP to the world"),
  must("Auto scaling groups use launch templates"),
  must("Auto scaling groups span zones and use the load balancer's health check (in production)"),
  must("Machines have a role, and no keys in user data"),
  should("Machines are EBS-optimised and monitored"),
  must("Images are of known makers"),
  must("The EKS endpoint is private, or open to named ranges"),
  must("EKS encrypts Secrets by KMS"),
  must("EKS writes all logs of the control plane"),
  must("Versions of Kubernetes are supported"),
  must("Node groups have no open remote access"),
  must("Nodes are in private subnets"),
  must("EKS uses access entries, and nobody is in system:masters"),
  must("ECR scans on push, has immutable tags and uses KMS"),
  must("Images come from approved registries, by digest"),
  must("KMS keys are rotated, and IAM allows no *:*"),
  must("Load balancers have logs, protection and TLS (in production)"),
  must("RKE2 runs by its CIS profile, encrypts Secrets and writes an audit log"),
  must("Snapshots of etcd are scheduled and kept elsewhere"),
  must("The kubelet is closed"),
  must("No privileged containers"),
  must("No namespaces of the host"),
  must("No escalation, no root, no capabilities, a read-only root"),
  must("No host paths and host ports"),
  must("Seccomp RuntimeDefault"),
  must("Least privilege in RBAC"),
  must("Service accounts of one's own, without automount"),
  must("Namespaces have pod security and are closed by default; default is not used"),
  should("Secrets as files, disruption budgets that allow disruption, resources, replicas"),
];

/** What the first words of source ids stand for. */
export const FRAMEWORKS: readonly (readonly [prefix: string, name: string, version: string])[] = [
  ["CIS-K", "CIS Kubernetes Benchmark", "1.12"],
  ["CIS-E", "CIS Amazon EKS Benchmark", "1.8.0"],
  ["FSBP", "AWS Foundational Security Best Practices", "as of 2026"],
  ["NSA", "NSA/CISA Kubernetes Hardening Guide", "1.2"],
  ["PSS", "Kubernetes Pod Security Standards", ""],
  ["CT", "AWS Control Tower proactive controls", ""],
  ["CKV", "Checkov", ""],
];
