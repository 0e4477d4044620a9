import type { Context } from "./context";
import type { CheckFailure } from "./kind";
import type { Received, Values } from "./wire";

/** How a changed property comes about: in place, or by a new resource. */
export type Change = "update" | "replace";

/** What the engine asks of a check. */
export interface CheckRequest {
  readonly urn: string;
  /** The inputs that the state has; empty for a new resource. */
  readonly olds: Values;
  readonly news: Values;
  /** From the engine, so that what is made up is the same in preview and update. */
  readonly seed: Uint8Array;
}

/** Inputs with their defaults, and what is wrong with them, in whole sentences. */
export interface Checked {
  readonly inputs: Values;
  readonly failures: readonly CheckFailure[];
}

/** The state, the inputs that made it, and the inputs that the program has now. */
export interface ChangeRequest {
  readonly olds: Values;
  readonly oldInputs: Values;
  readonly news: Values;
  /** The property paths of the resource option `ignoreChanges`. */
  readonly ignore: readonly string[];
}

/** What becomes of one property. */
export interface PropertyChange {
  readonly kind: "add" | "delete" | "update";
  readonly change: Change;
  /** Whether inputs were compared with inputs, and not with the state. */
  readonly input: boolean;
}

/** How the program differs from the state. */
export interface Diff {
  readonly properties: Readonly<Record<string, PropertyChange>>;
  /** Whether old and new cannot exist at the same time. @default false */
  readonly deleteBeforeReplace?: boolean;
}

/** A resource as it is now, and the inputs that would make it so. */
export interface Found {
  readonly id: string;
  readonly state: Values;
  readonly inputs: Values;
}

/** A resource type of a provider as the gRPC service uses it. */
export interface Resource {
  /** Whether `pulumi import` can read it by its id alone. */
  readonly importable: boolean;
  check(request: CheckRequest): Checked;
  diff(urn: string, request: ChangeRequest): Diff;
  /** What a preview can say of a resource that will be created. */
  previewCreate(news: Values): Values;
  previewUpdate(request: ChangeRequest): Values;
  create(context: Context, news: Values): Promise<{ readonly id: string; readonly state: Values }>;
  /** The resource as it is now; undefined where it is gone. Without inputs it is an import. */
  read(context: Context, id: string, state: Values, inputs: Values | undefined): Promise<Found | undefined>;
  update(context: Context, id: string, request: ChangeRequest): Promise<Values>;
  delete(context: Context, id: string, state: Values): Promise<void>;
  /** The properties of the state that must be secret, given those that arrived so. */
  secrets(received: Iterable<Received>): Set<string>;
}

/** A resource exists but is not what it should be: the engine keeps it and tries an update next time. */
export class UnfinishedResource extends Error {
  constructor(
    readonly id: string,
    readonly state: Values,
    readonly inputs: Values,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** Whether a property is new, gone or other than before. */
export function changeKind(before: unknown, now: unknown): PropertyChange["kind"] {
  if (before === undefined) return "add";
  return now === undefined ? "delete" : "update";
}
