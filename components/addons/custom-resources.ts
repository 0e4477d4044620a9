import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { crdOf, KIND_NAMES } from "../../api";
import { transformed, withoutTransform, type Transform } from "../transform";
import { metadataOf } from "./declaration";

/** The arguments of `CustomResources`. */
export interface CustomResourcesArgs {
  /**
   * Whether the definitions stay in the cluster when they are no longer declared. A definition that goes takes every
   * object of its kind with it, also those that people made by hand.
   * @default true
   */
  retain?: boolean;
  /** Overrides for the children. @default none */
  transform?: { definition?: Transform<kubernetes.apiextensions.v1.CustomResourceDefinitionArgs> };
}

/** The definitions of all kinds. Whatever declares an object of a kind depends on this. */
export class CustomResources extends pulumi.ComponentResource {
  readonly definitions: kubernetes.apiextensions.v1.CustomResourceDefinition[];

  constructor(name: string, args: CustomResourcesArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:CustomResources", name, withoutTransform(args), opts);
    const retainOnDelete = args.retain ?? true;
    this.definitions = KIND_NAMES.map((kind) => {
      const { metadata, spec } = crdOf(kind);
      return new kubernetes.apiextensions.v1.CustomResourceDefinition(
        ...transformed<kubernetes.apiextensions.v1.CustomResourceDefinitionArgs>(
          args.transform?.definition,
          `${name}-${spec.names.plural}`,
          { metadata: metadataOf(metadata.name, metadata.labels), spec: mutable(spec) },
          { parent: this, retainOnDelete },
        ),
      );
    });
    this.registerOutputs({});
  }
}

/** The same as plain JSON: schemas share parts with each other and are read-only, which inputs must not be. */
function mutable(
  spec: ReturnType<typeof crdOf>["spec"],
): kubernetes.types.input.apiextensions.v1.CustomResourceDefinitionSpec {
  return JSON.parse(
    JSON.stringify(spec),
  ) as kubernetes.types.input.apiextensions.v1.CustomResourceDefinitionSpec;
}
