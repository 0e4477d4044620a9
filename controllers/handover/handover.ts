import type { NodeUpgradeStatus } from "../../api";
import { INSTALLER_STATES, MOST_MESSAGE, MOST_OUTPUT } from "../../api/upgrade-report";
import type { KubernetesObject } from "../runtime";

/** On a Node: what its agent is to do for which upgrade. Written by the coordinator alone. */
export const ORDER = "fleetwright.dev/upgrade";
/** On a Node: how far its agent is with it. Written by the agent alone. */
export const REPORT = "fleetwright.dev/upgrade-report";

/** A uid as it may stand in paths and names. */
export const UID = /^[0-9a-z-]{1,64}$/;
const WORDS = ["run", "end", "stop"] as const;

/** What an agent is to do. */
export interface Order {
  /** The ClusterUpgrade. */
  name: string;
  uid: string;
  /** Run its installer; begin nothing, but let what runs come to its end; or stop what runs, too. */
  what: (typeof WORDS)[number];
}

/** How far an agent is. */
export interface Report extends Pick<
  NodeUpgradeStatus,
  "attempt" | "exitCode" | "output" | "installer" | "installerMessage"
> {
  /** The uid of the ClusterUpgrade that it is about. */
  uid: string;
}

/** The order on a node; undefined if there is none, or none that can be read. */
export function orderOn(node: KubernetesObject | undefined): Order | undefined {
  const { name, uid, what } = parse(node?.metadata.annotations?.[ORDER]);
  const known = WORDS.find((word) => word === what);
  return isText(name, 253) && isUid(uid) && known !== undefined ? { name, uid, what: known } : undefined;
}

/** The report on a node; undefined if there is none, or none that can be read. */
export function reportOn(node: KubernetesObject | undefined): Report | undefined {
  const { uid, attempt, exitCode, output, installer, installerMessage } = parse(
    node?.metadata.annotations?.[REPORT],
  );
  if (!isUid(uid)) return undefined;
  const state = INSTALLER_STATES.find((word) => word === installer);
  return {
    uid,
    ...(isNumber(attempt, 1000) ? { attempt } : {}),
    ...(isNumber(exitCode, 255) ? { exitCode } : {}),
    ...(isText(output, MOST_OUTPUT) ? { output } : {}),
    ...(state === undefined ? {} : { installer: state }),
    ...(isText(installerMessage, MOST_MESSAGE) ? { installerMessage } : {}),
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
