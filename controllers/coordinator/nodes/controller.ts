// Registers the controller that removes nodes whose machine no longer exists.
import { systemClock } from "../../runtime";
import type { AwsEnvironment } from "../aws";
import type { ControllerContext, CoordinatorController } from "../controller-context";
import { nodesIn } from "../shared-informers";
import { NotReadyNodes } from "./not-ready";
import { NodesReconciler, type NodesTiming } from "./reconciler";

export type { NodesTiming } from "./reconciler";

/** How patient the controller is outside of tests. */
export const TIMING: NodesTiming = {
  notReadyMs: 5 * 60_000,
  confirmMs: 60_000,
  existsMs: 10 * 60_000,
  windowMs: 10 * 60_000,
  most: 5,
};

/** There is one key: how many nodes are lost decides whether any is removed. */
const ALL = "all";

/** The controller with an account to ask and its own patience; tests give theirs. */
export function nodesWith(environment: AwsEnvironment, timing = TIMING): CoordinatorController {
  return {
    name: "nodes",
    description: "removes nodes whose EC2 instance no longer exists",
    rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "delete"] }],
    start(context: ControllerContext): void {
      const { manager } = context;
      const all = nodesIn(manager.cache);
      const controller = manager.controller({
        name: "nodes",
        concurrency: 1,
        reconcile: (_key, reconcileContext) => reconciler.reconcile(reconcileContext),
      });
      const notReady = new NotReadyNodes(all, manager.clock, () =>
        controller.queue.addAfter(ALL, timing.notReadyMs),
      );
      const reconciler = new NodesReconciler(context, all, notReady, environment, timing);
      // Only time brings work: a change of a node is none by itself.
      controller.watches(all, () => []);
    },
  };
}

/** Removes nodes whose EC2 instance no longer exists, as AWS says; where there is no AWS, none. */
export const nodes: CoordinatorController = nodesWith({ env: process.env, now: () => systemClock.now() });
