import { Property, type Finding } from "./property";
import type { Resource, Stack } from "./resource";
import { type SettingsOf, type SettingsSchema, settingsOf } from "./settings";
import type { PolicyContext } from "./policy-context";

/** How strong a requirement is, in the words of RFC 2119. */
export type Level = "MUST" | "SHOULD" | "MAY";

/** How serious a violation is. */
export type Severity = "low" | "medium" | "high" | "critical";

/** The enforcement level of each requirement level. */
export const ENFORCEMENT = { MUST: "mandatory", SHOULD: "advisory", MAY: "disabled" } as const;

/** The metadata of a policy. */
export interface Description<S extends SettingsSchema> {
  /** Its path below `policy/`, with hyphens. */
  readonly name: string;
  /** The requirement, as a sentence. */
  readonly description: string;
  readonly level: Level;
  /** Whether the level applies in production only; elsewhere the policy is advisory. */
  readonly inProduction?: true;
  readonly severity: Severity;
  /** Rules of public frameworks that it implements, such as `CIS-K 5.2.2` (docs/policies.md). */
  readonly sources: readonly string[];
  /** The rules of our own catalogue that it implements (reference/catalogue.ts). */
  readonly rules: readonly (number | "product")[];
  /** How to fix a violation, beyond the message at the property. */
  readonly remediationSteps: string;
  readonly settings?: S;
}

/** What the check of a resource policy gets. */
export interface Subject<S extends SettingsSchema> {
  readonly resource: Resource;
  /** The resource's inputs. */
  readonly inputs: Property;
  readonly settings: SettingsOf<S>;
  /** Reports a violation by something other than an input, such as a resource option. */
  readonly reportViolation: (property: string, found: string, fix: string) => void;
  /** Reports that something cannot be evaluated, why, and the fix, if the update itself will not help. */
  readonly reportUnknown: (property: string, why: string, fix?: string) => void;
}

/** What the check of a stack policy gets. */
export interface StackSubject<S extends SettingsSchema> {
  readonly stack: Stack;
  readonly context: PolicyContext;
  readonly settings: SettingsOf<S>;
  /** The outputs of a resource. */
  readonly outputs: (resource: Resource) => Property;
  /** Checks each resource by itself; if one depends on an unknown value, that is reported and the others are still checked. */
  readonly each: (
    resources: readonly Resource[],
    check: (resource: Resource, outputs: Property) => void,
  ) => void;
  /** Reports a violation by a resource, or by the stack where none is given. */
  readonly reportViolation: (
    resource: Resource | undefined,
    property: string,
    found: string,
    fix: string,
  ) => void;
  /** Reports that something cannot be evaluated, why, and the fix, if the update itself will not help. */
  readonly reportUnknown: (
    resource: Resource | undefined,
    property: string,
    why: string,
    fix?: string,
  ) => void;
}

/** A policy, without the type of its settings. */
export interface Policy extends Description<SettingsSchema> {
  readonly settings: SettingsSchema;
  /** The resource types that it evaluates; a stack policy is skipped if the stack has none of them. */
  readonly types: readonly string[];
  /** Other types whose properties it reads. */
  readonly alsoReads?: readonly string[];
  readonly scope: "resource" | "stack";
  /** Its findings in a stack, which may be a single resource. */
  find(stack: Stack, context: PolicyContext): Finding[];
  /** Fixes the inputs of a resource in place, where that is safe; returns whether it changed any. */
  readonly remediate?: (inputs: Record<string, unknown>) => boolean;
}

/** Defines a policy that evaluates each resource of some types, by its inputs. */
export function definePolicy<const S extends SettingsSchema = SettingsSchema>(
  policy: Description<S> & {
    readonly types: readonly string[];
    check(subject: Subject<S>): void;
    readonly remediate?: (inputs: Record<string, unknown>) => boolean;
  },
): Policy {
  const schema: SettingsSchema = policy.settings ?? {};
  return {
    ...policy,
    settings: schema,
    scope: "resource",
    find(stack, context) {
      const findings: Finding[] = [];
      const settings = settingsOf<S>(schema, context.settings[policy.name] ?? {});
      for (const resource of stack.resources) {
        if (!policy.types.includes(resource.type)) continue;
        const { urn } = resource;
        const inputs = Property.root(urn, resource.properties, findings);
        const reportViolation: Subject<S>["reportViolation"] = (property, found, fix) =>
          findings.push({ kind: "violation", urn, property, found, fix });
        const reportUnknown: Subject<S>["reportUnknown"] = (property, why, fix = "") =>
          findings.push({ kind: "unknown", urn, property, found: why, fix });
        inputs.attempt(() => policy.check({ resource, inputs, settings, reportViolation, reportUnknown }));
      }
      return findings;
    },
  };
}

/** Defines a policy that evaluates a stack as a whole, by the outputs of its resources. */
export function defineStackPolicy<const S extends SettingsSchema = SettingsSchema>(
  policy: Description<S> & {
    readonly types: readonly string[];
    readonly alsoReads?: readonly string[];
    check(subject: StackSubject<S>): void;
  },
): Policy {
  const schema: SettingsSchema = policy.settings ?? {};
  return {
    ...policy,
    settings: schema,
    scope: "stack",
    find(stack, context) {
      const findings: Finding[] = [];
      const outputs = (resource: Resource): Property =>
        Property.root(resource.urn, resource.properties, findings);
      const root = stack.resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.urn ?? "";
      policy.check({
        stack,
        context,
        settings: settingsOf<S>(schema, context.settings[policy.name] ?? {}),
        outputs,
        each: (resources, check) => {
          for (const resource of resources) {
            const of = outputs(resource);
            of.attempt(() => check(resource, of));
          }
        },
        reportViolation: (resource, property, found, fix) =>
          findings.push({ kind: "violation", urn: resource?.urn ?? root, property, found, fix }),
        reportUnknown: (resource, property, why, fix = "") =>
          findings.push({ kind: "unknown", urn: resource?.urn ?? root, property, found: why, fix }),
      });
      return findings;
    },
  };
}
