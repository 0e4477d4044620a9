// The entry of every policy pack. Bundled by bundle.js and started by the file `fleetwright`, either by the engine itself
// (`--policy-pack policy/fleetwright`) or through the language host (`--policy-pack policy`, `policy/aws` and so on).
import { policies as aws } from "./aws/policies";
import { sdkPolicies, servePack } from "./core/crossguard";
import type { Policy } from "./core/policy";
import { policies as kubernetes } from "./kubernetes/policies";
import { policies as all } from "./policies";
import { policies as product } from "./product/policies";
import { runRelevantPoliciesOnly } from "./sdk-patches/relevant-policies-only";
import { skipUnreadProperties } from "./sdk-patches/skip-unread-properties";
import { receiveStackConfiguration } from "./sdk-patches/stack-configuration";

interface Pack {
  readonly name: string;
  readonly description: string;
  readonly policies: readonly Policy[];
}

/** The packs by their folder below policy/; "" is all of them in one process. */
const PACKS: Readonly<Record<string, Pack>> = {
  "": { name: "fleetwright", description: "All of Fleetwright's policies.", policies: all },
  aws: {
    name: "fleetwright-aws",
    description: "EC2, EBS, VPC, load balancers, IAM, KMS, ECR and EKS.",
    policies: aws,
  },
  kubernetes: {
    name: "fleetwright-kubernetes",
    description: "Pods, images, RBAC and namespaces.",
    policies: kubernetes,
  },
  product: {
    name: "fleetwright-product",
    description: "Fleetwright's own rules: state, quorum, tags, regions, versions, SSH keys, cost.",
    policies: product,
  },
};

/** Serves a pack to the engine, until the engine ends this process. */
export function main(folder: string): void {
  const pack = PACKS[folder];
  if (pack === undefined)
    throw new Error(`There is no policy pack "${folder}": use one of ${Object.keys(PACKS).join(", ")}.`);
  const { name, description, policies } = pack;
  const context = receiveStackConfiguration();
  const served = sdkPolicies(policies, context);
  skipUnreadProperties(policies);
  runRelevantPoliciesOnly(name, policies, served);
  servePack(name, description, served);
}
