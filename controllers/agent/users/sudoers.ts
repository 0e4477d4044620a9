// Renders the sudo rules in /etc/sudoers.d/fleetwright.
import { LOGIN_NAME } from "../../../api/login-name";

/** The name of our file in `/etc/sudoers.d`. */
export const SUDOERS_FILE = "fleetwright";
/** Where sudo looks for files beside its main one. */
export const SUDOERS_FOLDER = "/etc/sudoers.d";

const HEADER = "# Managed by Fleetwright: changes are undone at once. Change the User instead.";
const RULE = new RegExp(`^${LOGIN_NAME} ALL=\\(ALL:ALL\\) NOPASSWD: ALL$`);

/** The sudo rules for these logins; undefined if there are none, and then there is no file.  */
export function renderSudoers(logins: readonly string[]): string | undefined {
  if (logins.length === 0) return undefined;
  const text = `${[HEADER, ...[...logins].sort().map((name) => `${name} ALL=(ALL:ALL) NOPASSWD: ALL`)].join("\n")}\n`;
  const problem = sudoersProblem(text);
  if (problem !== undefined) throw new Error(`The sudo rules were not written: ${problem}`);
  return text;
}

/**
 * What is wrong with a file of rules. A file that sudo cannot read locks everybody out of sudo, so nothing but the one
 * form of line that is known to be good is written; `visudo` is on the host and not in the agent's image.
 */
export function sudoersProblem(text: string): string | undefined {
  if (!text.endsWith("\n")) return "it does not end with a line end";
  const wrong = text
    .slice(0, -1)
    .split("\n")
    .find((line) => line !== HEADER && !RULE.test(line));
  return wrong === undefined ? undefined : `it has the line ${JSON.stringify(wrong.slice(0, 80))}`;
}
