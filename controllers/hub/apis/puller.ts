// Reads what kinds a cluster has: definitions themselves, and of the server's own kinds what it publishes of them.
import { GROUP } from "../../../api";
import { canonical, isRecord, type Schema } from "../../negotiation";
import { schemaOf } from "../../negotiation/openapi";
import type { ApiClient } from "../../runtime";
import type { Definition, DefinitionVersion, ImportSpec } from "./kinds";

/** A kind as a cluster has it. */
export interface Found {
  spec: Omit<ImportSpec, "cluster" | "schemaHash">;
  schema: Schema;
}

const DEFINITIONS_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PAGE = 100;

/** Reads the kinds of one cluster. What did not change is not read again. */
export class Puller {
  readonly #member: ApiClient;
  #index: string | undefined;
  #wanted = "";
  #found: readonly Found[] = [];
  readonly #groups = new Map<string, { hash: string; found: readonly Found[] }>();

  constructor(member: ApiClient) {
    this.#member = member;
  }

  /** Every kind that is wanted, all read within this call; it throws rather than to leave one out. */
  async pull(wanted: readonly string[], signal: AbortSignal): Promise<readonly Found[]> {
    // The index names a hash for each group and version, so one small answer tells whether anything changed.
    const index = await this.#member.text({ method: "GET", path: "/openapi/v3", signal });
    const asked = [...wanted].sort().join(" ");
    if (index === this.#index && asked === this.#wanted) return this.#found;
    const definitions = await this.#definitions(wanted, signal);
    const builtIn = await this.#builtIn(JSON.parse(index), wanted, signal);
    [this.#found, this.#index, this.#wanted] = [[...definitions, ...builtIn], index, asked];
    return this.#found;
  }

  async #definitions(wanted: readonly string[], signal: AbortSignal): Promise<Found[]> {
    const found: Found[] = [];
    let next: string | undefined;
    do {
      const page = await this.#member.request<{ items: Definition[]; metadata: { continue?: string } }>({
        method: "GET",
        path: DEFINITIONS_PATH,
        query: { limit: PAGE, ...(next === undefined ? {} : { continue: next }) },
        signal,
      });
      for (const definition of page.items) {
        const { group, names } = definition.spec;
        // Our own kinds are no workload of anyone's.
        if (group === GROUP || !isWanted(wanted, names.plural, group, true)) continue;
        if (!isEstablished(definition)) continue;
        for (const version of definition.spec.versions)
          if (version.served) found.push(defined(definition, version));
      }
      next = page.metadata.continue;
    } while (next !== undefined && next !== "");
    return found;
  }

  async #builtIn(index: unknown, wanted: readonly string[], signal: AbortSignal): Promise<Found[]> {
    const paths = isRecord(index) && isRecord(index.paths) ? index.paths : {};
    const all: Found[] = [];
    for (const [path, entry] of Object.entries(paths)) {
      const [, group = "", version] = /^(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path) ?? [];
      const url = isRecord(entry) ? entry.serverRelativeURL : undefined;
      if (version === undefined || typeof url !== "string" || !names(wanted, group)) continue;
      const key = `${group}/${version}`;
      const known = this.#groups.get(key);
      const found = known?.hash === url ? known.found : await this.#group(group, version, url, signal);
      this.#groups.set(key, { hash: url, found });
      all.push(...found.filter(({ spec }) => isWanted(wanted, spec.resource, group, false)));
    }
    return all;
  }

  async #group(group: string, version: string, url: string, signal: AbortSignal): Promise<Found[]> {
    const [path = "", query = ""] = url.split("?");
    const document = await this.#member.request({
      method: "GET",
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      signal,
    });
    const list = await this.#member.request<{ resources: readonly ServedResource[] }>({
      method: "GET",
      path: group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
      signal,
    });
    return list.resources.flatMap((served): Found[] => {
      if (served.name.includes("/")) return [];
      const schema = schemaOf(document, { group, version, kind: served.kind });
      if (schema === undefined || isDefined(document, served.kind)) return [];
      const has = (subresource: string): boolean =>
        list.resources.some(({ name }) => name === `${served.name}/${subresource}`);
      return [
        {
          spec: {
            group,
            version,
            resource: served.name,
            names: {
              kind: served.kind,
              ...(served.singularName ? { singular: served.singularName } : {}),
              shortNames: [...(served.shortNames ?? [])],
              categories: [...(served.categories ?? [])],
            },
            scope: served.namespaced ? "Namespaced" : "Cluster",
            source: "OpenAPI",
            subresources: {
              status: has("status"),
              ...(has("scale")
                ? { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } }
                : {}),
            },
            columns: [],
          },
          schema,
        },
      ];
    });
  }
}

interface ServedResource {
  name: string;
  singularName?: string;
  kind: string;
  namespaced: boolean;
  shortNames?: readonly string[];
  categories?: readonly string[];
}

/** Whether a kind is asked for; `*` means every kind that has a definition, and no other. */
export function isWanted(
  wanted: readonly string[],
  resource: string,
  group: string,
  hasDefinition: boolean,
): boolean {
  const within = group === "" ? "core" : group;
  return wanted.some(
    (one) => one === `${resource}.${within}` || one === `*.${within}` || (one === "*" && hasDefinition),
  );
}

const names = (wanted: readonly string[], group: string): boolean =>
  wanted.some(
    (one) => one.includes(".") && one.slice(one.indexOf(".") + 1) === (group === "" ? "core" : group),
  );

// The document of a group with definitions says so of each kind; these were read from the definitions themselves.
function isDefined(document: unknown, kind: string): boolean {
  const schemas =
    isRecord(document) && isRecord(document.components) ? document.components.schemas : undefined;
  return (
    isRecord(schemas) &&
    Object.keys(schemas).every(
      (name) => !name.startsWith("io.k8s.api.") && !name.startsWith("io.k8s.kube-"),
    ) &&
    Object.keys(schemas).some((name) => name.endsWith(`.${kind}`))
  );
}

function isEstablished({ status }: Definition): boolean {
  return status?.conditions?.some((one) => one.type === "Established" && one.status === "True") ?? false;
}

const COLUMN_TYPES = ["string", "integer", "number", "boolean", "date"] as const;

function defined({ spec }: Definition, version: DefinitionVersion): Found {
  const { plural, kind, listKind, singular, shortNames = [], categories = [] } = spec.names;
  const { scale, status } = version.subresources ?? {};
  const schema = version.schema?.openAPIV3Schema ?? { type: "object" };
  return {
    spec: {
      group: spec.group,
      version: version.name,
      resource: plural,
      names: {
        kind,
        ...(listKind === undefined ? {} : { listKind }),
        ...(singular === undefined ? {} : { singular }),
        shortNames,
        categories,
      },
      scope: spec.scope,
      source: "CustomResourceDefinition",
      subresources: { status: status !== undefined, ...(scale === undefined ? {} : { scale }) },
      columns: (version.additionalPrinterColumns ?? []).flatMap((column) => {
        const type = COLUMN_TYPES.find((one) => one === column.type);
        return type === undefined ? [] : [{ ...column, type }];
      }),
    },
    schema: canonical(
      spec.preserveUnknownFields === true
        ? { ...schema, "x-kubernetes-preserve-unknown-fields": true }
        : schema,
    ),
  };
}
