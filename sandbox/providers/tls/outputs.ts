import type { Plain } from "../shell/wire";

/** The properties of a state that are not inputs: what the provider makes. */
export type OutputsOf<State, Args> = {
  [K in Exclude<keyof State, keyof Args>]-?: Exclude<Plain<State[K]>, undefined>;
};
