// Test cases: valid and malformed objects of the kinds of the negotiation.
import { createHash } from "node:crypto";
import { bad, type Cases, type Malformed } from "../case";

const hash = "e7a5d41fd68b0fe2c3a36d9be55ab3ac0a04eb8ec4ee5cf98a03a3d0aefda9f8";
const data = "H4sIAAAAAAAAA6tWKqksSFWyUspPykpNLlGqBQBMsQlPEQAAAA==";

const wrongData = (it: string, value: unknown, says = "should match") => bad(it, "spec.data", value, says);
const wrongName = (it: string, value: unknown, says = "the name must be the SHA-256") =>
  bad(it, "metadata.name", value, says);
const wrongSize = (it: string, value: unknown, says: string) => bad(it, "spec.size", value, says);

/** What both validators must say of APISchemas. */
export const apiSchemaCases: Cases = {
  names: (stem) => createHash("sha256").update(stem).digest("hex"),
  base: { data, size: 17 },
  valid: [
    ["the encoding", { encoding: "gzip", data, size: 17 }],
    ["no padding", { data: "AAAA", size: 2 }],
    ["two signs of padding", { data: "AA==", size: 2 }],
    ["the other two letters", { data: "+/+/", size: 67_108_864 }],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("a spec that is text", "spec", data, "must be of type object"),
    bad("the schema itself", "spec.schema", { type: "object" }, "unknown field"),
    bad("an unknown encoding", "spec.encoding", "zstd", "supported values"),
    bad("an encoding in capitals", "spec.encoding", "GZIP", "supported values"),
    bad("no encoding at all", "spec.encoding", "", "supported values"),
    wrongName("a name that is no hash", "deployments.apps"),
    wrongName("a hash that is too short", hash.slice(1)),
    wrongName("a hash that is too long", `${hash}0`, "Too long"),
    wrongName("a letter that is no digit", `g${hash.slice(1)}`),
    wrongName("a name of a digest's form", `sha256-${hash.slice(7)}`),
    wrongData("no data", undefined, "Required value"),
    wrongData("empty data", "", "at least 1 chars"),
    wrongData("data that is a number", 7, "must be of type string"),
    wrongData("data that is a list", [data], "must be of type string"),
    wrongData("data that is an object", {}, "must be of type string"),
    wrongData("three letters", "AAA"),
    wrongData("one letter", "A"),
    wrongData("padding alone", "===="),
    wrongData("padding in the middle", "AA==AAAA"),
    wrongData("three signs of padding", "A==="),
    wrongData("the letters of URLs", "-_-_"),
    wrongData("a space", "AAA A"),
    wrongData("a line break at the end", "AAAA\n"),
    wrongData("JSON", `{"type":"object"}`),
    wrongData("more than etcd takes", "A".repeat(1_000_004), "Too long"),
    wrongSize("no size", undefined, "Required value"),
    wrongSize("a size of one", 1, "greater than or equal to 2"),
    wrongSize("a size below nothing", -1, "greater than or equal to 2"),
    wrongSize("a size beyond 64 MiB", 67_108_865, "less than or equal to"),
    wrongSize("a size that is text", "17", "must be of type integer"),
    wrongSize("half a byte", 17.5, "must be of type integer"),
    wrongSize("a size that is an object", {}, "must be of type integer"),
  ],
};

const malformedResources: readonly Malformed[] = [
  bad("no spec", "spec", undefined, "Required value"),
  bad("a spec that is text", "spec", "deployments.apps", "must be of type object"),
  bad("an unknown field", "spec.kind", "Deployment", "unknown field"),
  bad("group: none", "spec.group", undefined, "Required value"),
  bad("group: capitals", "spec.group", "Apps", "the group must be an API group"),
  bad("group: with a version", "spec.group", "apps/v1", "the group must be an API group"),
  bad("group: a dot at the end", "spec.group", "apps.", "the group must be an API group"),
  bad("group: too long", "spec.group", "a".repeat(254), "Too long"),
  bad("group: a number", "spec.group", 1, "must be of type string"),
  bad("version: none", "spec.version", undefined, "Required value"),
  bad("version: empty", "spec.version", "", "at least 1 chars"),
  bad("version: with a dot", "spec.version", "v1.0", "the version must be"),
  bad("version: capitals", "spec.version", "V1", "the version must be"),
  bad("version: too long", "spec.version", "v".repeat(64), "Too long"),
  bad("resource: none", "spec.resource", undefined, "Required value"),
  bad("resource: empty", "spec.resource", "", "at least 1 chars"),
  bad("resource: a kind", "spec.resource", "Deployment", "the resource must be the plural name"),
  bad("resource: with its group", "spec.resource", "deployments.apps", "the resource must be"),
  bad("resource: a subresource", "spec.resource", "deployments/scale", "the resource must be"),
  bad("resource: too long", "spec.resource", "d".repeat(64), "Too long"),
];

const names = (it: string, change: object, says: string, field: string) =>
  bad(`names: ${it}`, "spec.names", { kind: "Deployment", ...change }, says, `spec.names.${field}`);
const scale = (it: string, change: object, says: string, field: string) =>
  bad(
    `scale: ${it}`,
    "spec.subresources",
    { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", ...change } },
    says,
    `spec.subresources.scale.${field}`,
  );
const column = (it: string, change: object, says: string, field: string) =>
  bad(
    `columns: ${it}`,
    "spec.columns",
    [{ name: "Ready", type: "string", jsonPath: ".status.ready", ...change }],
    says,
    `spec.columns[0].${field}`,
  );

/** What both validators must say of APIResourceImports. */
export const apiResourceImportCases: Cases = {
  base: {
    cluster: "east",
    group: "apps",
    version: "v1",
    resource: "deployments",
    names: { kind: "Deployment", listKind: "DeploymentList", singular: "deployment", shortNames: ["deploy"] },
    scope: "Namespaced",
    source: "OpenAPI",
    subresources: {
      status: true,
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
    columns: [{ name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" }],
    schemaHash: hash,
  },
  valid: [
    [
      "the core group and no more than is needed",
      {
        cluster: "a",
        group: "",
        version: "v1",
        resource: "services",
        names: { kind: "Service" },
        scope: "Namespaced",
        source: "OpenAPI",
        schemaHash: hash,
      },
    ],
    [
      "a kind of a definition",
      {
        cluster: "a".repeat(55),
        group: "cert-manager.io",
        version: "v1alpha2",
        resource: "certificates",
        names: { kind: "Certificate", categories: ["cert-manager"] },
        scope: "Cluster",
        source: "CustomResourceDefinition",
        columns: [
          {
            name: "Age",
            type: "date",
            format: "date",
            description: "",
            priority: 1,
            jsonPath: ".metadata.creationTimestamp",
          },
        ],
        schemaHash: hash,
      },
    ],
  ],
  malformed: [
    ...malformedResources,
    bad("cluster: none", "spec.cluster", undefined, "Required value"),
    bad("cluster: with a dot", "spec.cluster", "east.one", "a cluster's name must be a DNS label"),
    bad("cluster: too long", "spec.cluster", "a".repeat(56), "Too long"),
    names("no kind", { kind: undefined }, "Required value", "kind"),
    names("a kind with a space", { kind: "A B" }, "the kind must be a name", "kind"),
    names("one short name twice", { shortNames: ["a", "a"] }, "Duplicate value", "shortNames[1]"),
    names("an unknown name", { plural: "deployments" }, "unknown field", "plural"),
    bad("scope: unknown", "spec.scope", "Global", "supported values"),
    bad("scope: none", "spec.scope", undefined, "Required value"),
    bad("source: unknown", "spec.source", "Discovery", "supported values"),
    bad(
      "subresources: one that is none",
      "spec.subresources",
      { exec: true },
      "unknown field",
      "spec.subresources.exec",
    ),
    scale("no path", { specReplicasPath: undefined }, "Required value", "specReplicasPath"),
    scale("a path without a dot", { statusReplicasPath: "status" }, "the path must be", "statusReplicasPath"),
    scale("a path with an index", { labelSelectorPath: ".a[0]" }, "the path must be", "labelSelectorPath"),
    column("no name", { name: undefined }, "Required value", "name"),
    column("an unknown type", { type: "text" }, "supported values", "type"),
    column("no path", { jsonPath: undefined }, "Required value", "jsonPath"),
    column("a priority below 0", { priority: -1 }, "greater than or equal to 0", "priority"),
    bad("schemaHash: none", "spec.schemaHash", undefined, "Required value"),
    bad("schemaHash: a digest", "spec.schemaHash", `sha256:${hash.slice(7)}`, "the hash must be"),
  ],
};

const pinned = { group: "apps", version: "v1", resource: "deployments", strategy: "Pinned" };

/** What both validators must say of NegotiatedAPIResources. */
export const negotiatedApiResourceCases: Cases = {
  base: { group: "apps", version: "v1", resource: "deployments", strategy: "PerObject", publish: true },
  valid: [
    ["a kind alone", { group: "", version: "v1", resource: "services" }],
    ["a pinned schema", { ...pinned, schemaHash: hash }],
  ],
  malformed: [
    ...malformedResources,
    bad("strategy: unknown", "spec.strategy", "Union", "supported values"),
    bad("strategy: lower case", "spec.strategy", "intersect", "supported values"),
    bad("strategy: empty", "spec.strategy", "", "supported values"),
    bad(
      "strategy: pinned to nothing",
      "spec.strategy",
      "Pinned",
      "schemaHash must be given",
      "spec.schemaHash",
    ),
    bad("a schema that is not pinned", "spec.schemaHash", hash, "schemaHash must be given"),
    bad("schemaHash: too short", "spec.schemaHash", hash.slice(1), "the hash must be"),
    bad("schemaHash: too long", "spec.schemaHash", `${hash}0`, "Too long"),
    bad("schemaHash: capitals", "spec.schemaHash", hash.toUpperCase(), "the hash must be"),
    bad("publish: text", "spec.publish", "true", "must be of type boolean"),
    bad("publish: a number", "spec.publish", 1, "must be of type boolean"),
    bad("clusters in the spec", "spec.clusters", ["east"], "unknown field"),
  ],
};
