import type { Labels } from "../addons/declaration";

/** Labels of a namespace in which pods have no rights on their nodes. */
export const RESTRICTED: Labels = {
  "pod-security.kubernetes.io/enforce": "restricted",
  "pod-security.kubernetes.io/warn": "restricted",
  "pod-security.kubernetes.io/audit": "restricted",
};
