import type { PolicyRule } from "./rules";

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
  /** Creates the reconcilers and watches; they run when the manager runs. */
  start(context: Context): void;
}
