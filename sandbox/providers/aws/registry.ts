import type { Lookup, AwsResource } from "./core/declaration";
import * as declarations from "./types";
import * as functions from "./functions";

/** The resource types by their token. */
export const resources: ReadonlyMap<string, AwsResource> = new Map(
  Object.values(declarations).map((resource) => [resource.token, resource]),
);

/** The functions by their token. */
export const lookups: ReadonlyMap<string, Lookup & { readonly args: readonly string[] }> = new Map(
  Object.values(functions).map((lookup) => [lookup.token, lookup]),
);
