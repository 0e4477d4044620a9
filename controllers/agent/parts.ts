import { facts } from "./facts";
import type { Part } from "./part";
import { upgrade } from "./upgrade";
import { users } from "./users";

/** Every part, in the order of `--help`. */
export const PARTS: readonly Part[] = [users, upgrade, facts];
