import type { PolicyRule } from "./rules";

/** What a service account of ours may do, beside the one that a program runs as. */
export interface AccountRights {
  /** Rights in the whole cluster. */
  rules: readonly PolicyRule[];
}

/**
 * A controller as the coordinator and the agent register it: a name, the rights it needs, and a function that starts
 * it. The roles of both programs are generated from these definitions: what is not declared here, a controller cannot
 * do.
 *
 * `Context` is what the program gives its controllers (`ControllerContext` in coordinator/ and in agent/). What has to
 * happen at shutdown is registered with the context.
 *
 * Every controller folder has the same files:
 * - `controller.ts`: the definition: name, rules, what it watches
 * - `reconciler.ts`: brings one object to its declared state
 * - `plan.ts`: decisions as pure functions
 * - `status.ts`: conditions and status fields, if it writes any
 */
export interface ControllerDefinition<Context> {
  /** As in `--controllers`. */
  name: string;
  /** One line for `--help`. */
  description: string;
  /** Rights in the whole cluster. */
  rules: readonly PolicyRule[];
  /** Rights in the product's namespace only. */
  namespacedRules?: readonly PolicyRule[];
  /**
   * Service accounts in the product's namespace with whose rights it makes some of its writes, by their names: what it must not be
   * able to do by mistake, or what must be measured by these rights alone (docs/decisions/0030).
   */
  accounts?: Readonly<Record<string, AccountRights>>;
  /** Creates the reconcilers and watches; they run when the manager runs. */
  start(context: Context): void;
}
