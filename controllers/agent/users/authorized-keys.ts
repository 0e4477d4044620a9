// Renders authorized_keys of a login, and describes changes that others made to it.
import { createHash } from "node:crypto";
import { keysInForce, type Login } from "../../../api/login";

/** The first line of every file of keys that is ours. */
export const KEYS_HEADER =
  "# Managed by Fleetwright: other lines are removed at once. Change the User instead.";

/** The content of `authorized_keys` at a given time. */
export function renderKeys(login: Pick<Login, "keys">, now: number): string {
  return `${[KEYS_HEADER, ...keysInForce(login, now).map(({ line }) => line)].join("\n")}\n`;
}

/** Describes how a file of keys differs from what it should contain. */
export function describeTampering(found: string, wanted: string): string {
  const [have, want] = [found, wanted].map((text) => text.split("\n").filter((line) => line.trim() !== ""));
  const foreign = (have ?? []).filter((line) => want?.includes(line) === false);
  const missing = (want ?? []).filter((line) => have?.includes(line) === false);
  const findings = [
    ...(foreign.length === 0
      ? []
      : [
          `${foreign.length} foreign ${foreign.length === 1 ? "line" : "lines"} (${foreign.slice(0, 3).map(nameLine).join("; ")}${foreign.length > 3 ? "; …" : ""})`,
        ]),
    ...(missing.length === 0 ? [] : [`${missing.length} of its lines missing`]),
  ];
  return findings.length === 0 ? "its lines in another form" : findings.join(" and ");
}

/** A line of a file of keys, by the fingerprint that sshd writes to its log if it is a key. */
function nameLine(line: string): string {
  const [, algorithm, blob] =
    /(?:^|\s)((?:ssh|ecdsa|sk)-[a-z0-9@.-]+)\s+([A-Za-z0-9+/=]{16,})(?:\s|$)/.exec(line) ?? [];
  if (algorithm === undefined || blob === undefined)
    return `"${line.slice(0, 40).replace(/[^ -~]/g, "?")}${line.length > 40 ? "…" : ""}"`;
  const digest = createHash("sha256").update(Buffer.from(blob, "base64")).digest("base64");
  return `${algorithm} SHA256:${digest.replace(/=+$/, "")}`;
}
