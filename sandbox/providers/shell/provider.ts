import type { Log } from "./context";
import type { Func } from "./function";
import type { Member, CheckFailure } from "./kind";
import type { Resource } from "./resource";
import type { Values } from "./wire";

/** The longest list of types that an error message shows. */
const MAX_LISTED = 20;

/** A provider: what the engine starts as a plugin. */
export interface Provider {
  /** Its name in type tokens, such as "tls". */
  readonly name: string;
  /** The version of the SDK that it serves. */
  readonly version: string;
  /** Resource types by token, such as "tls:index/privateKey:PrivateKey". */
  readonly resources: Readonly<Record<string, Resource>>;
  /** Functions by token. */
  readonly functions: Readonly<Record<string, Func>>;
  /** The settings it knows. */
  readonly settings: Readonly<Record<string, Member<unknown>>>;
  /** What is wrong with the settings beyond their kinds. */
  checkSettings?(settings: Values): CheckFailure[];
  /** Called once with the settings, before the first operation. */
  configure?(settings: Values, log: Log): Promise<void>;
  /** Called when the engine is gone without having ended this process: nobody knows what it has recorded. */
  engineGone?(): void;
  /** Called before an orderly exit, when nothing runs any more. */
  close?(): Promise<void>;
  /** Settings whose change makes every resource a new one. @default none */
  readonly replacingSettings?: readonly string[];
}

/** The resource type of a token, or an error that says which there are and how to have the others. */
export function resourceOf(provider: Provider, token: string): Resource {
  const found = provider.resources[token];
  if (found !== undefined) return found;
  throw new Error(missing(provider, "resource type", token, Object.keys(provider.resources)));
}

/** The function of a token, or an error that says which there are and how to have the others. */
export function functionOf(provider: Provider, token: string): Func {
  const found = provider.functions[token];
  if (found !== undefined) return found;
  throw new Error(missing(provider, "function", token, Object.keys(provider.functions)));
}

/** How to use the official provider instead of the sandbox's. */
export function officialProvider({ name, version }: Pick<Provider, "name" | "version">): string {
  return `To use the official provider: pulumi plugin install resource ${name} ${version}`;
}

function missing(provider: Provider, what: string, token: string, known: readonly string[]): string {
  const list = known.length === 0 ? "none" : known.join(", ");
  const others = known.length > MAX_LISTED ? ` ${known.length} others` : `: ${list}`;
  return (
    `The sandbox's ${provider.name} provider has no ${what} "${token}". It has${others}.\n` +
    officialProvider(provider)
  );
}
