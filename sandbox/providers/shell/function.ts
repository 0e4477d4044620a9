import type { Context } from "./context";
import { type CheckFailure, type Kind, memberFailures, sentences } from "./kind";
import { holdsUnknown, type Received, UNKNOWN, type Values } from "./wire";

/** A function of a provider: a question that changes nothing. */
export interface FunctionType<Args, Result> {
  readonly args: { readonly [K in keyof Args]-?: Argument<Exclude<Args[K], undefined>> };
  /** The properties of the answer; those that echo an argument are secret when the argument is. */
  readonly result: { readonly [K in keyof Result]-?: { readonly secret?: boolean } };
  /** What is wrong between arguments. */
  check?(args: Args): CheckFailure[];
  invoke(context: Context, args: Args): Promise<Result>;
}

/** One argument of a function. */
export interface Argument<T> {
  readonly kind: Kind<T>;
  /** @default false */
  readonly required?: boolean;
}

/** A function as the service uses it. */
export interface Func {
  /** What is wrong with the arguments, in whole sentences. */
  check(args: Values): CheckFailure[];
  invoke(context: Context, args: Values): Promise<Values>;
  secrets(received: Received): Set<string>;
}

/** Makes a function of a declaration. */
export function func<Args extends object, Result extends object>(type: FunctionType<Args, Result>): Func {
  const members: Readonly<Record<string, Argument<unknown>>> = type.args;
  const isArgs = (values: Values): values is Values & Args => memberFailures(members, values).length === 0;
  const result: Readonly<Record<string, { readonly secret?: boolean }>> = type.result;
  return {
    check: (args) => {
      if (!isArgs(args)) return sentences(memberFailures(members, args));
      return holdsUnknown(args) ? [] : sentences(type.check?.(args) ?? []);
    },
    invoke: async (context, args) => {
      if (holdsUnknown(args)) return Object.fromEntries(Object.keys(result).map((name) => [name, UNKNOWN]));
      return isArgs(args) ? { ...(await type.invoke(context, args)) } : {};
    },
    secrets: ({ secrets }) => {
      const declared = Object.keys(result).filter((name) => result[name]?.secret === true);
      return new Set([...declared, ...secrets]);
    },
  };
}
