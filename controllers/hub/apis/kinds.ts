// The kinds of the negotiation as a client has them.
import type {
  apiResourceImport,
  apiSchema,
  negotiatedApiResource,
  SpecInputOf,
  SpecOf,
  StatusOf,
} from "../../../api";
import { GROUP, HUB_PLURALS, VERSION } from "../../../api";
import type { Custom } from "../../app/custom-object";
import type { Schema } from "../../negotiation";
import type { KubernetesObject, Resource } from "../../runtime";

/** A schema, by the hash of its content. */
export type SchemaObject = Custom<SpecOf<typeof apiSchema>, StatusOf<typeof apiSchema>>;
/** What one cluster says of one kind. */
export type ImportObject = Custom<SpecOf<typeof apiResourceImport>, StatusOf<typeof apiResourceImport>>;
/** The same, before the server fills in defaults. */
export type ImportSpec = SpecInputOf<typeof apiResourceImport>;
/** What all agree on. */
export type NegotiatedObject = Custom<
  SpecOf<typeof negotiatedApiResource>,
  StatusOf<typeof negotiatedApiResource>
>;

const own = (kind: keyof typeof HUB_PLURALS) => ({
  group: GROUP,
  version: VERSION,
  kind,
  plural: HUB_PLURALS[kind],
  namespaced: false,
});

/** APISchemas. */
export const SCHEMAS: Resource<SchemaObject> = own("APISchema");
/** APIResourceImports. */
export const IMPORTS: Resource<ImportObject> = own("APIResourceImport");
/** NegotiatedAPIResources. */
export const NEGOTIATED: Resource<NegotiatedObject> = own("NegotiatedAPIResource");

/** A version in a definition. */
export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: readonly {
    name: string;
    type: string;
    format?: string;
    description?: string;
    priority?: number;
    jsonPath: string;
  }[];
}

/** A CustomResourceDefinition. */
export interface Definition extends KubernetesObject {
  spec: {
    group: string;
    scope: "Cluster" | "Namespaced";
    names: {
      plural: string;
      kind: string;
      listKind?: string;
      singular?: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: readonly DefinitionVersion[];
    preserveUnknownFields?: boolean;
  };
  status?: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] };
}

/** CustomResourceDefinitions. */
export const DEFINITIONS: Resource<Definition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};
