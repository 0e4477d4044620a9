import { Property, type Finding } from "./property";
import type { Resource, Stack } from "./resource";
import { type SettingsOf, type SettingsSchema, settingsOf } from "./settings";
import type { Surroundings } from "./surroundings";

/** How strong a requirement is, in the words of RFC 2119. */
export type Level = "MUST" | "SHOULD" | "MAY";

/** How bad it is when it is not met. */
export type Severity = "low" | "medium" | "high" | "critical";

/** What the engine does about a violation, by the level of the requirement. */
export const ENFORCEMENT = { MUST: "mandatory", SHOULD: "advisory", MAY: "disabled" } as const;

/** What is said of a policy, beside what it does. */
export interface Description<S extends SettingsSchema> {
  /** Its path below `policy/`, with hyphens. */
  readonly name: string;
  /** What has to be true, as a sentence. */
  readonly description: string;
  readonly level: Level;
  /** Whether the level counts in production only; elsewhere such a policy advises. */
  readonly inProduction?: true;
  readonly severity: Severity;
  /** Rules of others that ask for the same, such as `CIS-K 5.2.2`; `docs/policies.md` says what they stand for. */
  readonly sources: readonly string[];
  /** The rules of our own catalogue that it carries out; see `catalogue.ts`. */
  readonly rules: readonly (number | "product")[];
  /** How to meet it, where the message at the property does not say all. */
  readonly steps: string;
  readonly settings?: S;
}

/** What a policy of one resource is given. */
export interface Subject<S extends SettingsSchema> {
  readonly resource: Resource;
  /** The resource's inputs. */
  readonly inputs: Property;
  readonly settings: SettingsOf<S>;
  /** Judges by something else than an input, such as an option. */
  readonly refuse: (property: string, found: string, fix: string) => void;
  /** Says that something cannot be judged, why, and what would help if not the update itself. */
  readonly doubt: (property: string, why: string, fix?: string) => void;
}

/** What a policy of a whole stack is given. */
export interface StackSubject<S extends SettingsSchema> {
  readonly stack: Stack;
  readonly around: Surroundings;
  readonly settings: SettingsOf<S>;
  /** The outputs of a resource. */
  readonly outputs: (resource: Resource) => Property;
  /** Judges one resource; where that needs what is not known yet, says so and lets the others be judged. */
  readonly each: (
    resources: readonly Resource[],
    judge: (resource: Resource, outputs: Property) => void,
  ) => void;
  /** Reports a resource, or the stack where none is given. */
  readonly refuse: (resource: Resource | undefined, property: string, found: string, fix: string) => void;
  /** Says that something cannot be judged, why, and what would help if not the update itself. */
  readonly doubt: (resource: Resource | undefined, property: string, why: string, fix?: string) => void;
}

/** A policy, without its types. */
export interface Policy extends Description<SettingsSchema> {
  readonly settings: SettingsSchema;
  /** The types that it judges; for a policy of a stack, those without which it has nothing to say. */
  readonly types: readonly string[];
  /** Other types whose properties it looks at. */
  readonly looksAt?: readonly string[];
  readonly judges: "resource" | "stack";
  /** All that it finds in a stack, which may be one resource. */
  find(stack: Stack, around: Surroundings): Finding[];
  /** Repairs the inputs of a resource in place, where that is safe; says whether it changed any. */
  readonly remediate?: (inputs: Record<string, unknown>) => boolean;
}

/** Defines a policy that judges each resource of some types by its inputs. */
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
    judges: "resource",
    find(stack, around) {
      const findings: Finding[] = [];
      const settings = settingsOf<S>(schema, around.settings[policy.name] ?? {});
      for (const resource of stack.resources) {
        if (!policy.types.includes(resource.type)) continue;
        const { urn } = resource;
        const inputs = Property.root(urn, resource.properties, findings);
        const refuse: Subject<S>["refuse"] = (property, found, fix) =>
          findings.push({ kind: "violation", urn, property, found, fix });
        const doubt: Subject<S>["doubt"] = (property, why, fix = "") =>
          findings.push({ kind: "unknown", urn, property, found: why, fix });
        inputs.attempt(() => policy.check({ resource, inputs, settings, refuse, doubt }));
      }
      return findings;
    },
  };
}

/** Defines a policy that judges a stack as a whole, by what came out of it. */
export function defineStackPolicy<const S extends SettingsSchema = SettingsSchema>(
  policy: Description<S> & {
    readonly types: readonly string[];
    readonly looksAt?: readonly string[];
    check(subject: StackSubject<S>): void;
  },
): Policy {
  const schema: SettingsSchema = policy.settings ?? {};
  return {
    ...policy,
    settings: schema,
    judges: "stack",
    find(stack, around) {
      const findings: Finding[] = [];
      const outputs = (resource: Resource): Property =>
        Property.root(resource.urn, resource.properties, findings);
      const root = stack.resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.urn ?? "";
      policy.check({
        stack,
        around,
        settings: settingsOf<S>(schema, around.settings[policy.name] ?? {}),
        outputs,
        each: (resources, judge) => {
          for (const resource of resources) {
            const of = outputs(resource);
            of.attempt(() => judge(resource, of));
          }
        },
        refuse: (resource, property, found, fix) =>
          findings.push({ kind: "violation", urn: resource?.urn ?? root, property, found, fix }),
        doubt: (resource, property, why, fix = "") =>
          findings.push({ kind: "unknown", urn: resource?.urn ?? root, property, found: why, fix }),
      });
      return findings;
    },
  };
}
