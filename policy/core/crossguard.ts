// Turns our policies into those of Pulumi's policy SDK (CrossGuard), and serves them to the engine.
import { PolicyPack, type ReportViolation } from "@pulumi/policy";
import type {
  PolicyResource,
  ResourceValidationArgs,
  ResourceValidationPolicy,
  StackValidationPolicy,
} from "@pulumi/policy";
import { evaluate, type Evaluation } from "./evaluation";
import { ENFORCEMENT, type Policy } from "./policy";
import type { PolicyContext } from "./policy-context";
import { Stack, type Resource } from "./resource";
import { behindProxies, keepSecrets } from "../sdk-patches/keep-secrets";

/** The SDK's `reportViolation` also takes an object, which its declarations leave out. */
type Report = (violation: { message: string; urn: string; enforcementLevel?: "advisory" }) => void;

/** A policy as the SDK takes it. */
export type SdkPolicy = ResourceValidationPolicy | StackValidationPolicy;

/** Serves a pack of policies to the engine that started this process. */
export function servePack(name: string, description: string, policies: SdkPolicy[]): void {
  keepSecrets();
  new PolicyPack(name, { description, enforcementLevel: "mandatory", policies });
}

/** The policies as the SDK takes them. The context is read at each evaluation, because it arrives after the pack has started. */
export function sdkPolicies(policies: readonly Policy[], context: () => PolicyContext): SdkPolicy[] {
  return policies.map((policy) =>
    policy.scope === "resource" ? resourcePolicy(policy, context) : stackPolicy(policy, context),
  );
}

function resourcePolicy(policy: Policy, context: () => PolicyContext): ResourceValidationPolicy {
  const { remediate } = policy;
  return {
    ...described(policy),
    validateResource: (args, report) => {
      if (!policy.types.includes(args.type)) return;
      const stack = new Stack([resourceOf(args)]);
      reportAll(policy, evaluate(policy, stack, configured(policy, context(), args.getConfig())), report);
    },
    ...(remediate === undefined
      ? {}
      : {
          remediateResource: ({ type, props }: ResourceValidationArgs) =>
            policy.types.includes(type) && remediate(props) ? props : undefined,
        }),
  };
}

function stackPolicy(policy: Policy, context: () => PolicyContext): StackValidationPolicy {
  return {
    ...described(policy),
    validateStack: (args, report) => {
      const isConcerned = args.resources.some(({ type }) => policy.types.includes(type));
      if (!isConcerned) return;
      const stack = new Stack(args.resources.map(stackResourceOf));
      reportAll(policy, evaluate(policy, stack, configured(policy, context(), args.getConfig())), report);
    },
  };
}

/** Settings in the pack's configuration (`--policy-pack-config`) override those in the stack's. */
function configured(policy: Policy, context: PolicyContext, given: object): PolicyContext {
  const settings = { ...context.settings, [policy.name]: { ...context.settings[policy.name], ...given } };
  return { ...context, settings };
}

/** Reports violations. Exempt ones are left out; `npm run policy -- report` shows them. */
function reportAll(
  policy: Policy,
  evaluations: readonly Evaluation[],
  reportViolation: ReportViolation,
): void {
  const report = reportViolation as unknown as Report;
  for (const { outcome, blocks, message, urn } of evaluations) {
    if (outcome === "exempt") continue;
    // Otherwise the enforcement level applies that the pack's configuration gives the policy, or its own.
    const isAdvisory = outcome === "unknown" || (policy.level === "MUST" && !blocks);
    report({ message, urn, ...(isAdvisory ? { enforcementLevel: "advisory" } : {}) });
  }
}

function described(policy: Policy): ResourceValidationPolicy {
  const properties = Object.entries(policy.settings).map(([name, { default: value, ...schema }]) => [
    name,
    // With a default here, a setting of the stack would never apply: the SDK would always give a value.
    { ...schema, description: `${schema.description} Default: ${JSON.stringify(value)}.` },
  ]);
  return {
    name: policy.name,
    description: policy.description,
    enforcementLevel: ENFORCEMENT[policy.level],
    severity: policy.severity,
    remediationSteps: policy.remediationSteps,
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
