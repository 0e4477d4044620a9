import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { API_VERSION, type KindName } from "../../api";
import { transformed, type Transform } from "../transform";
import type { Labels } from "./args";

export type { Labels };

/** The manager of all fields that the program declares in a cluster. */
export const FIELD_MANAGER = "fleetwright-program";

/** What every object carries that the program declares. */
export const MANAGED_LABELS = { "app.kubernetes.io/managed-by": "fleetwright" };

/** Overrides for each object of a kind. */
export type DeclarationTransform = Transform<kubernetes.apiextensions.CustomResourceArgs>;

/** One object of a kind. */
export interface Declaration {
  kind: KindName;
  name: string;
  spec: object;
}

/** The metadata of an object that the program declares by server-side apply. */
export function metadataOf(
  name: string,
  labels: Labels = {},
): { name: string; labels: Labels; annotations: Labels } {
  return {
    name,
    labels: { ...labels, ...MANAGED_LABELS },
    annotations: { "pulumi.com/patchFieldManager": FIELD_MANAGER },
  };
}

/** Declares an object of a kind as a child of a component. */
export function declare(
  parent: pulumi.ComponentResource,
  resourceName: string,
  { kind, name, spec }: Declaration,
  labels: Labels | undefined,
  transform: DeclarationTransform | undefined,
  opts: pulumi.CustomResourceOptions = {},
): kubernetes.apiextensions.CustomResource {
  const args = { apiVersion: API_VERSION, kind, metadata: metadataOf(name, labels), spec };
  return new kubernetes.apiextensions.CustomResource(
    ...transformed(transform, resourceName, args, { ...opts, parent }),
  );
}
