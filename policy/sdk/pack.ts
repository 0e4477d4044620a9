import { PolicyPack, type ReportViolation } from "@pulumi/policy";
import type {
  PolicyResource,
  ResourceValidationArgs,
  ResourceValidationPolicy,
  StackValidationPolicy,
} from "@pulumi/policy";
import { ENFORCEMENT, type Policy } from "../judge/policy";
import { Stack, type Resource } from "../judge/resource";
import type { Surroundings } from "../judge/surroundings";
import { judge, type Verdict } from "../judge/verdict";
import { behindProxies, keepSecrets } from "./properties";

/** What the SDK takes for a violation beside a text; its own declarations leave it out. */
type Report = (violation: { message: string; urn: string; enforcementLevel?: "advisory" }) => void;

/** Serves a pack of policies to the engine that started this process. */
export function servePack(
  name: string,
  description: string,
  policies: readonly Policy[],
  around: () => Surroundings,
): void {
  keepSecrets();
  new PolicyPack(name, {
    description,
    enforcementLevel: "mandatory",
    policies: sdkPolicies(policies, around),
  });
}

/** The policies as the SDK takes them. The surroundings are asked for when something is judged: they may come later. */
export function sdkPolicies(
  policies: readonly Policy[],
  around: () => Surroundings,
): (ResourceValidationPolicy | StackValidationPolicy)[] {
  return policies.map((policy) =>
    policy.judges === "resource" ? resourcePolicy(policy, around) : stackPolicy(policy, around),
  );
}

function resourcePolicy(policy: Policy, around: () => Surroundings): ResourceValidationPolicy {
  const { remediate } = policy;
  return {
    ...described(policy),
    validateResource: (args, report) => {
      if (!policy.types.includes(args.type)) return;
      const stack = new Stack([resourceOf(args)]);
      tell(policy, judge(policy, stack, configured(policy, around(), args.getConfig())), report);
    },
    ...(remediate === undefined
      ? {}
      : {
          remediateResource: ({ type, props }: ResourceValidationArgs) =>
            policy.types.includes(type) && remediate(props) ? props : undefined,
        }),
  };
}

function stackPolicy(policy: Policy, around: () => Surroundings): StackValidationPolicy {
  return {
    ...described(policy),
    validateStack: (args, report) => {
      const isConcerned = args.resources.some(({ type }) => policy.types.includes(type));
      if (!isConcerned) return;
      const stack = new Stack(args.resources.map(stackResourceOf));
      tell(policy, judge(policy, stack, configured(policy, around(), args.getConfig())), report);
    },
  };
}

/** Settings that come with the pack (`--policy-pack-config`) count more than those of the stack. */
function configured(policy: Policy, around: Surroundings, given: object): Surroundings {
  const settings = { ...around.settings, [policy.name]: { ...around.settings[policy.name], ...given } };
  return { ...around, settings };
}

/** What is exempt is not told: `npm run policy -- report` shows it. */
function tell(policy: Policy, verdicts: readonly Verdict[], reportViolation: ReportViolation): void {
  const report = reportViolation as unknown as Report;
  for (const { outcome, stops, message, urn } of verdicts) {
    if (outcome === "exempt") continue;
    // Otherwise the level counts that whoever enforces the pack gave the policy, or its own.
    const isSoftened = outcome === "unknown" || (policy.level === "MUST" && !stops);
    report({ message, urn, ...(isSoftened ? { enforcementLevel: "advisory" } : {}) });
  }
}

function described(policy: Policy): ResourceValidationPolicy {
  const properties = Object.entries(policy.settings).map(([name, { default: value, ...schema }]) => [
    name,
    // A default would hide whether a setting was given, and so whether the stack's counts.
    { ...schema, description: `${schema.description} Default: ${JSON.stringify(value)}.` },
  ]);
  return {
    name: policy.name,
    description: policy.description,
    enforcementLevel: ENFORCEMENT[policy.level],
    severity: policy.severity,
    remediationSteps: policy.steps,
    tags: [...policy.sources],
    ...(properties.length === 0
      ? {}
      : { configSchema: { properties: Object.fromEntries(properties) as object } }),
  } as ResourceValidationPolicy;
}

function resourceOf(args: ResourceValidationArgs | PolicyResource): Resource {
  return {
    type: args.type,
    name: args.name,
    urn: args.urn,
    properties: behindProxies(args.props),
    isProtected: args.opts.protect,
    provider: behindProxies(args.provider?.props),
    dependencies: [],
    propertyDependencies: {},
  };
}

function stackResourceOf(resource: PolicyResource): Resource {
  const urns = (of: readonly PolicyResource[]): string[] => of.map(({ urn }) => urn);
  return {
    ...resourceOf(resource),
    dependencies: urns(resource.dependencies),
    propertyDependencies: Object.fromEntries(
      Object.entries(resource.propertyDependencies).map(([property, of]) => [property, urns(of)]),
    ),
  };
}
