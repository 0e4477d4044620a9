import { randomBytes } from "node:crypto";
import { anything, choice, flag, list, mapOf, text } from "../shell/kind";
import type { Input } from "../shell/declared-resource";
import { LOGGING } from "./output";

/** The scripts of a command for the steps of its life. */
export interface Scripts {
  readonly create?: string | undefined;
  readonly update?: string | undefined;
  readonly delete?: string | undefined;
}

/** A script, and the property that it comes from. */
export interface Script {
  readonly property: keyof Scripts;
  readonly text: string;
}

/** The script of an update: its own, or else that of the creation. */
export function updateScript(scripts: Scripts): Script | undefined {
  if (scripts.update !== undefined) return { property: "update", text: scripts.update };
  return scripts.create === undefined ? undefined : { property: "create", text: scripts.create };
}

/** Whether an update runs anything: it does for any change, be it of the connection alone (pulumi-command#447). */
export function runsAgain(changed: ReadonlySet<string>): boolean {
  return changed.size > 0;
}

/** An id such as the official provider makes: the name and some chance. */
export function newId(name: string): string {
  return `${name}${randomBytes(4).toString("hex")}`;
}

/** The inputs that local and remote commands have in common. */
export const commandInputs = {
  addPreviousOutputInEnv: { kind: flag } satisfies Input<boolean>,
  create: { kind: text } satisfies Input<string>,
  delete: { kind: text } satisfies Input<string>,
  environment: { kind: mapOf(text) } satisfies Input<Record<string, string>>,
  logging: { kind: choice(...LOGGING) },
  stdin: { kind: text } satisfies Input<string>,
  triggers: { kind: list(anything), onChange: "replace" } satisfies Input<unknown[]>,
  update: { kind: text } satisfies Input<string>,
} as const;
