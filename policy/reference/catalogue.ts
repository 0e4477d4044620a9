import type { Level } from "../core/policy";

/** A rule of our catalogue, which the packs implement. */
export interface CatalogueRule {
  readonly rule: string;
  readonly level: Level;
}

const must = (rule: string): CatalogueRule => ({ rule, level: "MUST" });
const should = (rule: string): CatalogueRule => ({ rule, level: "SHOULD" });

/**
 * The rules that the packs implement, by number (the first is 1). A policy names the rules that it implements; some rules
 * became several policies, each with its own message.
 */
export const CATALOGUE: readonly CatalogueRule[] = [
  must("EBS volumes are encrypted"),
  must("State volumes use a customer managed key"),
  must("Root and other disks of instances are encrypted"),
  must("EBS encrypts by default"),
  must("Snapshot copies are encrypted and never public"),
  must("IMDSv2 is required"),
  must("The instance metadata hop limit is 1"),
  must("Nodes have no public IP address"),
  must("Subnets assign no public IP addresses"),
  must("SSH is not open to the internet"),
  must("Cluster ports are not open to the internet"),
  should("Egress is restricted"),
  should("Security groups and rules have a description"),
  must("The default security group has no rules"),
  must("VPCs have flow logs"),
  must("Network ACLs do not open SSH and RDP to the internet"),
  must("Auto scaling groups use launch templates"),
  must("Auto scaling groups span zones and use the load balancer's health check (in production)"),
  must("Instances have an IAM role, and no keys in user data"),
  should("Instances are EBS-optimized and monitored"),
  must("AMIs are approved"),
  must("The EKS endpoint is private, or open to named ranges only"),
  must("EKS encrypts Secrets with KMS"),
  must("EKS writes all control plane logs"),
  must("Kubernetes versions are supported"),
  must("SSH to node groups is not open"),
  must("Nodes are in private subnets"),
  must("EKS uses access entries, and not system:masters"),
  must("ECR scans on push, has immutable tags and uses KMS"),
  must("Images come from approved registries, by digest"),
  must("KMS keys are rotated, and IAM allows no *:*"),
  must("Load balancers have access logs, deletion protection and TLS (in production)"),
  must("RKE2 uses its CIS profile, encrypts Secrets and writes an audit log"),
  must("etcd snapshots are scheduled and stored elsewhere"),
  must("The kubelet requires authentication and authorization"),
  must("No privileged containers"),
  must("No host namespaces"),
  must("No privilege escalation, no root, no capabilities, a read-only root filesystem"),
  must("No host paths and host ports"),
  must("Seccomp RuntimeDefault"),
  must("Least privilege in RBAC"),
  must("Dedicated service accounts, without automount"),
  must("Namespaces have pod security and default-deny policies; default is not used"),
  should("Secrets as files, disruption budgets that allow disruption, resources, replicas"),
];

/** The frameworks that source ids refer to, by prefix. */
export const FRAMEWORKS: readonly (readonly [prefix: string, name: string, version: string])[] = [
  ["CIS-K", "CIS Kubernetes Benchmark", "1.12"],
  ["CIS-E", "CIS Amazon EKS Benchmark", "1.8.0"],
  ["FSBP", "AWS Foundational Security Best Practices", "as of 2026"],
  ["NSA", "NSA/CISA Kubernetes Hardening Guide", "1.2"],
  ["PSS", "Kubernetes Pod Security Standards", ""],
  ["CT", "AWS Control Tower proactive controls", ""],
  ["CKV", "Checkov", ""],
];
