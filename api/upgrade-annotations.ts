// What the coordinator and a node's agent write to each other on the Node during an upgrade.
import type { NodeUpgradeStatus } from ".";
import { INSTALLER_STATES, MAX_MESSAGE, MAX_OUTPUT } from "./upgrade-report";

/** An object with annotations, as far as it is read here. */
interface Annotated {
  metadata: { name: string; annotations?: Readonly<Record<string, string>> };
}

/** On a Node: what its agent is to do for which upgrade. Written by the coordinator alone. */
export const ORDER_ANNOTATION = "fleetwright.dev/upgrade";
/** On a Node: how far its agent is with it. Written by the agent alone. */
export const REPORT_ANNOTATION = "fleetwright.dev/upgrade-report";

/** A uid as it may stand in paths and names. */
export const UID = /^[0-9a-z-]{1,64}$/;
const WORDS = ["run", "end", "stop"] as const;

/** What an agent is to do. */
export interface UpgradeOrder {
  /** The ClusterUpgrade. */
  name: string;
  uid: string;
  /** Run its installer; begin nothing, but let what runs come to its end; or stop what runs, too. */
  what: (typeof WORDS)[number];
}

/** How far an agent is. */
export interface UpgradeReport extends Pick<
  NodeUpgradeStatus,
  "attempt" | "exitCode" | "output" | "installer" | "installerMessage"
> {
  /** The uid of the ClusterUpgrade that it is about. */
  uid: string;
}

/** The order on a node; undefined if there is none, or none that can be read. */
export function orderOn(node: Annotated | undefined): UpgradeOrder | undefined {
  const { name, uid, what } = parse(node?.metadata.annotations?.[ORDER_ANNOTATION]);
  const known = WORDS.find((word) => word === what);
  return isText(name, 253) && isUid(uid) && known !== undefined ? { name, uid, what: known } : undefined;
}

/** The report on a node; undefined if there is none, or none that can be read. */
export function reportOn(node: Annotated | undefined): UpgradeReport | undefined {
  const { uid, attempt, exitCode, output, installer, installerMessage } = parse(
    node?.metadata.annotations?.[REPORT_ANNOTATION],
  );
  if (!isUid(uid)) return undefined;
  const state = INSTALLER_STATES.find((word) => word === installer);
  return {
    uid,
    ...(isNumber(attempt, 1000) ? { attempt } : {}),
    ...(isNumber(exitCode, 255) ? { exitCode } : {}),
    ...(isText(output, MAX_OUTPUT) ? { output } : {}),
    ...(state === undefined ? {} : { installer: state }),
    ...(isText(installerMessage, MAX_MESSAGE) ? { installerMessage } : {}),
  };
}

function parse(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length <= most;
}

function isUid(value: unknown): value is string {
  return typeof value === "string" && UID.test(value);
}

function isNumber(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
}
