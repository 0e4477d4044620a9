// The controllers of the agent, as `--controllers` names them.
import type { AgentController } from "./controller-context";
import { facts } from "./facts";
import { upgrade } from "./upgrade";
import { users } from "./users";

/** Every controller of the agent, in the order of `--help`. */
export const CONTROLLERS: readonly AgentController[] = [users, upgrade, facts];
