// The form of the objects of our kinds.
import type { Condition } from "../../api";
import type { KubernetesObject } from "../runtime";

/** An object of one of our kinds as the API server hands it out: defaults are filled in. */
export interface Custom<Spec, Status> extends KubernetesObject {
  spec: Spec;
  status?: Status;
}

/** What the status of every kind has. */
export interface CommonStatus {
  observedGeneration?: number | undefined;
  conditions?: Condition[] | undefined;
}
