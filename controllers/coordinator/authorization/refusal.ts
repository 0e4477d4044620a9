// What is made of a refusal by the API server: a condition for people, and a pace of further attempts.
import { ApiError } from "../../runtime";
import { conditionFalse, type ConditionState } from "../../app/status";

/** The server lists every right that is missing. */
const MAX_LENGTH = 1500;
const FIRST_MS = 1000;
const MAX_MS = 300_000;

/** Whether we may not act as the account that writes; nothing can be written then. */
export function isAccountRefusal(error: unknown): boolean {
  return isForbidden(error) && (error.status.message ?? "").includes(" cannot impersonate resource ");
}

/** The condition for a write that the API server forbids. Undefined for every other error. */
export function refusalOf(error: unknown): ConditionState | undefined {
  if (!isForbidden(error)) return undefined;
  const said = (error.status.message ?? error.message).replaceAll(/\s+/g, " ").slice(0, MAX_LENGTH);
  if (isAccountRefusal(error))
    return conditionFalse(
      "AccountNotAllowed",
      `The coordinator may not act as the account that writes roles (${said}): run pulumi up, or apply controllers/coordinator/role.yaml.`,
    );
  const fix = said.includes("not currently held")
    ? "Name the verbs and resources that are needed instead, or have an administrator raise the ceiling by the setting fleetwright:roleCeiling."
    : "If the rights of Fleetwright's own accounts were changed, run pulumi up, or apply controllers/coordinator/role.yaml.";
  return conditionFalse("RefusedByServer", `The API server refuses it: ${said}. ${fix}`);
}

function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 403;
}

/** How long to wait before a refused write is tried again: what was missing may be granted by somebody, unseen by us. */
export class RefusalPace {
  readonly #refusals = new Map<string, number>();

  /** The wait in milliseconds after one more refusal. */
  next(key: string): number {
    const before = this.#refusals.get(key) ?? 0;
    this.#refusals.set(key, before + 1);
    return Math.min(MAX_MS, FIRST_MS * 4 ** Math.min(before, 10));
  }

  /** It went well, or is gone. */
  forget(key: string): void {
    this.#refusals.delete(key);
  }
}
