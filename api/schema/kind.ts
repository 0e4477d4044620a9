import { z } from "zod";
import { API_VERSION } from "../names";
import { withoutNulls } from "./nulls";
import { describeProblems, problemsOf, type Problem } from "./problem";
import { matching, withRule } from "./rule";
import { structuralSchema, type StructuralSchema } from "./structural";
import { objectName } from "./text";

/** A column of `kubectl get`. */
export interface Column {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  description: string;
  /** Shown only with `-o wide`. */
  wide?: boolean;
}

/** A rule about a change of the spec, for the API server and for TypeScript. */
export interface ChangeRule<Spec> {
  /** The CEL expression; `self` is the new spec, `oldSelf` the one before. */
  cel: string;
  holds: (spec: Spec, before: Spec) => boolean;
  message: string;
  /** The field of the spec that is to blame. */
  field: string;
}

/** A rule about an object's name beyond that of Kubernetes, for the API server and for TypeScript. */
export interface NameRule {
  /** The source of a regular expression for the whole name. */
  form: string;
  max: number;
  message: string;
}

/** What a kind is made of. */
export interface KindDeclaration<Name extends string, Spec extends z.ZodType, Status extends z.ZodType> {
  kind: Name;
  plural: string;
  shortNames: readonly string[];
  /** @default "Cluster" */
  scope?: "Cluster" | "Namespaced";
  nameRule?: NameRule;
  /** One sentence: what it is for. */
  summary: string;
  /** Paragraphs for the reference page. */
  details: readonly string[];
  spec: Spec;
  status: Status;
  changes?: readonly ChangeRule<z.output<Spec>>[];
  columns: readonly Column[];
  /** An object for the reference page; a test applies it. */
  example: { metadata: { name: string; namespace?: string }; spec: z.input<Spec> };
}

/** The part of an object's metadata that we read; the API server validates the rest. */
export interface Metadata {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  [other: string]: unknown;
}

/** An object of a kind. */
export interface KindObject<Name extends string, Spec, Status> {
  apiVersion: typeof API_VERSION;
  kind: Name;
  metadata: Metadata;
  spec: Spec;
  status?: Status;
}

/** What validation gives: the object with all defaults, or everything that is wrong with it. */
export type Verdict<Value> = { ok: true; object: Value } | { ok: false; problems: readonly Problem[] };

/** A kind: its declaration, and what follows from it. */
export interface Kind<
  Name extends string,
  Spec extends z.ZodType,
  Status extends z.ZodType,
> extends KindDeclaration<Name, Spec, Status> {
  /** Validates an object as the API server would, with every problem by its path. */
  validate(object: unknown): Verdict<KindObject<Name, z.output<Spec>, z.output<Status>>>;
  /** Validates a spec alone. Paths begin with `at`, by default `spec`; for a setting, give its path in the stack. */
  validateSpec(spec: unknown, at?: string): Verdict<z.output<Spec>>;
  /** Validates a change from one valid spec to another. */
  validateChange(spec: z.output<Spec>, before: z.output<Spec>): readonly Problem[];
  /** The object with all defaults; throws an error with all problems. */
  parse(object: unknown): KindObject<Name, z.output<Spec>, z.output<Status>>;
}

/** Any kind, for those who treat all alike. */
export interface AnyKind {
  kind: string;
  plural: string;
  shortNames: readonly string[];
  scope?: "Cluster" | "Namespaced";
  nameRule?: NameRule;
  summary: string;
  details: readonly string[];
  spec: z.ZodType;
  status: z.ZodType;
  changes?: readonly { cel: string; message: string; field: string }[];
  columns: readonly Column[];
  example: { metadata: { name: string; namespace?: string }; spec: unknown };
  validate(object: unknown): Verdict<KindObject<string, unknown, unknown>>;
  validateSpec(spec: unknown, at?: string): Verdict<unknown>;
}

/** The object type of a kind, defaults filled in. */
export type ObjectOf<K> =
  K extends Kind<infer Name, infer Spec, infer Status>
    ? KindObject<Name, z.output<Spec>, z.output<Status>>
    : never;
/** The spec of a kind, defaults filled in. */
export type SpecOf<K> = K extends Kind<string, infer Spec, z.ZodType> ? z.output<Spec> : never;
/** The spec of a kind as it is written, with defaults left out. */
export type SpecInputOf<K> = K extends Kind<string, infer Spec, z.ZodType> ? z.input<Spec> : never;
/** The status of a kind. */
export type StatusOf<K> = K extends Kind<string, z.ZodType, infer Status> ? z.output<Status> : never;

/** The metadata as far as we check it: a name that Kubernetes accepts, and that the kind does. */
function metadataSchema(rule: NameRule | undefined) {
  const name = objectName("metadata.name");
  if (rule === undefined) return z.looseObject({ name });
  return z.looseObject({ name: withRule(name.max(rule.max), matching(rule.form, rule.message)) });
}

/** Makes a kind of its declaration. */
export function defineKind<Name extends string, Spec extends z.ZodType, Status extends z.ZodType>(
  declaration: KindDeclaration<Name, Spec, Status>,
): Kind<Name, Spec, Status> {
  const { kind, spec, status, changes = [] } = declaration;
  const whole = z.strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal(kind),
    metadata: metadataSchema(declaration.nameRule),
    spec,
    status: status.optional(),
  });
  type Whole = KindObject<Name, z.output<Spec>, z.output<Status>>;
  // Computed when first needed: a settings check needs some specs and no status.
  let specSchema: StructuralSchema | undefined;
  let statusSchema: StructuralSchema | undefined;
  const validate = (found: unknown): Verdict<Whole> => {
    specSchema ??= structuralSchema(spec);
    statusSchema ??= structuralSchema(status);
    const object = withoutNulls(found, { properties: { spec: specSchema, status: statusSchema } });
    const result = whole.safeParse(object);
    if (!result.success) return refused(result.error, object);
    // zod's mapped type of a generic object does not resolve; its keys are the five above.
    return { ok: true, object: result.data as unknown as Whole };
  };
  return {
    ...declaration,
    validate,
    validateSpec(value, at = "spec") {
      specSchema ??= structuralSchema(spec);
      const found = withoutNulls(value, specSchema);
      const result = spec.safeParse(found);
      return result.success ? { ok: true, object: result.data } : refused(result.error, found, at);
    },
    validateChange: (after, before) =>
      changes
        .filter(({ holds }) => !holds(after, before))
        .map(({ field, message }) => ({ path: `spec.${field}`, message: `Invalid value: ${message}` })),
    parse(object) {
      const verdict = validate(object);
      if (verdict.ok) return verdict.object;
      throw new Error(`Invalid ${kind}:\n${describeProblems(verdict.problems)}`);
    },
  };
}

function refused(error: z.ZodError, root: unknown, at?: string): { ok: false; problems: Problem[] } {
  return { ok: false, problems: error.issues.flatMap((issue) => problemsOf(issue, root, at)) };
}
