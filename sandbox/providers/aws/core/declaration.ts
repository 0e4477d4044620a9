import type { Unwrap } from "@pulumi/pulumi";
import type { AwsContext } from "./context";
import type { Property } from "./property";
import type { Values } from "./value";

/** Properties of `@pulumi/aws` as they are once every input has its value. */
export type Plain<T> = { [K in keyof T]: Text<Unwrap<T[K]>> };

/** Where a text may be given as a resource or as an object, the engine or our check has made it a text. */
type Text<T> = [Extract<T, string>] extends [never] ? T : Exclude<T, object>;

/** How the tags of a type are changed after its creation. */
export interface Tagging {
  set(
    context: AwsContext,
    id: string,
    state: Values,
    tags: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  remove(context: AwsContext, id: string, state: Values, keys: readonly string[]): Promise<unknown>;
}

/** How a name is made when the program gives none. */
export interface AutoName<Key> {
  readonly property: Key;
  /** The longest name that AWS takes. */
  readonly maxLength: number;
  readonly prefix?: string;
  readonly lowerCase?: boolean;
  /** Given instead of a name, it makes AWS or the provider add the random part. */
  readonly prefixProperty?: Key;
}

/** What changes in an update. */
export interface Change<State> {
  /** The state before it. */
  readonly olds: Plain<State>;
  /** Whether any of these properties changes. */
  readonly has: (...names: readonly (keyof State & string)[]) => boolean;
}

/**
 * One resource type: what its properties are and how AWS is asked for it. Everything else (checks, defaults,
 * differences, names, tags, waiting for what was just made, what is gone already) is the shared engine's.
 */
export interface Declaration<Args, State> {
  /** Such as `aws:ec2/vpc:Vpc`. */
  readonly token: string;
  /** The input properties that this provider knows; it refuses others by name. */
  readonly properties: { readonly [K in keyof Args]?: Property };
  readonly name?: AutoName<keyof Args & string>;
  /** The type belongs to no region. */
  readonly global?: boolean;
  readonly tagging?: Tagging;
  /** Two of them cannot be at the same time, whatever their names. */
  readonly deleteBeforeReplace?: boolean;
  /** Problems that need more than one property to see. */
  check?(inputs: Plain<Args>): string[];
  /** Properties that need a new resource for this change only. */
  replacesFor?(olds: Plain<State>, news: Plain<Args>): (keyof Args & string)[];
  /** Asks AWS to make it and gives its id. Calls `context.started` when more steps follow. */
  create(context: AwsContext, inputs: Plain<Args>): Promise<string>;
  /** Waits until it is ready to be used. */
  settle?(context: AwsContext, id: string, inputs: Plain<Args>): Promise<unknown>;
  /** The id and what it tells of the state, out of what a person gives to `pulumi import`. */
  fromImport?(given: string): { id: string; known: Plain<State> };
  /** What it is now, or undefined when it is not there. `known` is the state before, empty at an import. */
  read(context: AwsContext, id: string, known: Plain<State>): Promise<Plain<State> | undefined>;
  update?(context: AwsContext, id: string, news: Plain<Args>, change: Change<State>): Promise<unknown>;
  delete(context: AwsContext, id: string, state: Plain<State>): Promise<unknown>;
}

/** A declaration whose types the shared engine does not see. */
export interface AwsResource extends Pick<
  Declaration<Values, Values>,
  "token" | "name" | "global" | "tagging" | "deleteBeforeReplace"
> {
  readonly properties: Readonly<Record<string, Property | undefined>>;
  check?(inputs: Values): string[];
  replacesFor?(olds: Values, news: Values): string[];
  create(context: AwsContext, inputs: Values): Promise<string>;
  settle?(context: AwsContext, id: string, inputs: Values): Promise<unknown>;
  fromImport?(given: string): { id: string; known: Values };
  read(context: AwsContext, id: string, known: Values): Promise<Values | undefined>;
  update?(context: AwsContext, id: string, news: Values, change: AnyChange): Promise<unknown>;
  delete(context: AwsContext, id: string, state: Values): Promise<unknown>;
}

/** A change whose types the shared engine does not see. */
export interface AnyChange {
  readonly olds: Values;
  readonly has: (...names: readonly string[]) => boolean;
}

/** Makes a resource type out of its declaration. */
export function declare<Args, State>(declaration: Declaration<Args, State>): AwsResource {
  // The shared engine passes a declaration only what its own check let through and what its own read gave.
  return declaration as unknown as AwsResource;
}

/** A function of the provider, such as `aws:ec2/getAmi:getAmi`. */
export interface Lookup {
  readonly token: string;
  invoke(context: AwsContext, args: Values): Promise<Values>;
}

/** Makes a lookup out of its typed form. */
export function lookup<Args, Result>(typed: {
  readonly token: string;
  /** The arguments that this provider knows; it refuses others by name. */
  readonly args: readonly (keyof Args & string)[];
  invoke(context: AwsContext, args: Plain<Args>): Promise<Plain<Result>>;
}): Lookup & { readonly args: readonly string[] } {
  return typed;
}

/**
 * A text where the SDK lists the values it knew when it was released. AWS itself checks it and says what is wrong.
 */
// The property that the text goes to gives it its type.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function literal<T extends string>(text: string | undefined): T | undefined {
  return text as T | undefined;
}

/** The same for a list. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function literals<T extends string>(texts: readonly string[] | undefined): T[] | undefined {
  return texts?.flatMap((text) => literal<T>(text) ?? []);
}
