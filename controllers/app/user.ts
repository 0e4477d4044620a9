// Users as those read them who check them again. Types only: the schemas would take a quarter of a program's memory.
import { GROUP, VERSION } from "../../api/names";
import type { KubernetesObject, Resource } from "../runtime";

/** A User as the server returns it. Its spec is checked again before anything of it is written (api/login.ts). */
export interface UserObject extends KubernetesObject {
  spec?: unknown;
  status?: UserStatus;
}

/** The fields of a User's status that the agent reads and writes. */
export interface UserStatus {
  observedGeneration?: number;
  keys?: number;
  nextExpiry?: string;
  conditions?: {
    type: string;
    status: "True" | "False" | "Unknown";
    reason: string;
    message: string;
    observedGeneration?: number;
    lastTransitionTime: string;
  }[];
  failures?: { node: string; reason: string; message: string }[];
}

/** Users. */
export const USERS: Resource<UserObject> = {
  group: GROUP,
  version: VERSION,
  kind: "User",
  plural: "users",
  namespaced: false,
};
