// Test cases: valid and malformed Plugins.
import { bad, type Cases } from "./case";

const sha = "a".repeat(64);
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { b: "c" } };
const job = { name: "check", image: "registry.example.com/tools/check:1.4.2" };

const source = (it: string, value: unknown, says: string, field = "") =>
  bad(`source: ${it}`, "spec.source", value, says, `spec.source${field}`);
const before = (it: string, change: object, says: string, field: string) =>
  bad(`job: ${it}`, "spec.jobs.before", [{ ...job, ...change }], says, `spec.jobs.before[0].${field}`);
const http = (it: string, url: string, says: string) =>
  source(it, { http: { url, digest: `sha256:${sha}` } }, says, ".http.url");
const oci = (it: string, reference: string, says: string) =>
  source(it, { oci: { reference } }, says, ".oci.reference");

/** What both validators must say of Plugins. */
export const pluginCases: Cases = {
  base: {
    type: "metrics",
    version: "1.2.3",
    source: { configMapRef: { name: "manifests" } },
    jobs: { before: [job], after: [job] },
    values: { place: "here" },
  },
  valid: [
    ["inline manifests", { type: "a", version: "v0.1.0-rc.1+b.2", source: { inline: [configMap] } }],
    ["a Secret", { type: "a", version: "1.0.0", source: { secretRef: { name: "a", key: "all.yaml" } } }],
    [
      "an OCI artifact",
      {
        type: "a",
        version: "1.0.0",
        source: {
          oci: { reference: `ghcr.io:443/acme/my-plugin:v1@sha256:${sha}`, pullSecretRef: { name: "pull" } },
        },
      },
    ],
    [
      "a file on the web",
      {
        type: "a",
        version: "1.0.0",
        source: { http: { url: "https://example.com:8443/a/b.yaml", digest: `sha256:${sha}` } },
        rollbackTo: "0.9.0",
        deletionPolicy: "Orphan",
      },
    ],
    [
      "values from elsewhere",
      {
        type: "a",
        version: "1.0.0",
        source: { inline: [] },
        values: { "a.b-c_D": "", _: "x\ny" },
        valuesFrom: [{ secretRef: { name: "a" } }, { configMapRef: { name: "b", namespace: "c" } }],
        jobs: { after: [{ name: "a", image: `tools@sha256:${sha}`, env: [{ name: "A" }] }] },
      },
    ],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    bad("an unknown field", "spec.implementation", "a", "unknown field"),
    bad("no type", "spec.type", undefined, "Required value"),
    bad("a type with an underscore", "spec.type", "cloud_controller", "must be a DNS label"),
    bad("no version", "spec.version", undefined, "Required value"),
    bad("a version of two numbers", "spec.version", "1.2", "must be X.Y.Z"),
    bad("latest as version", "spec.version", "latest", "must be X.Y.Z"),
    bad("a zero before a number", "spec.version", "1.02.3", "must be X.Y.Z"),
    bad("a version as number", "spec.version", 1, "must be of type string"),
    bad("no source", "spec.source", undefined, "Required value"),
    source("none of them", {}, "exactly one of"),
    source("two of them", { inline: [], configMapRef: { name: "a" } }, "exactly one of"),
    source("an unknown one", { git: { url: "a" } }, "unknown field", ".git"),
    source(
      "a Secret inline",
      { inline: [{ ...configMap, kind: "Secret" }] },
      "must not hold a Secret",
      ".inline",
    ),
    source(
      "a manifest without kind",
      { inline: [{ apiVersion: "v1", metadata: {} }] },
      "Required value",
      ".inline[0].kind",
    ),
    source(
      "a manifest without name",
      { inline: [{ ...configMap, metadata: {} }] },
      "metadata.name",
      ".inline[0].metadata",
    ),
    source(
      "a version with two slashes",
      { inline: [{ ...configMap, apiVersion: "a/b/c" }] },
      "should match",
      ".inline[0].apiVersion",
    ),
    source("a manifest as text", { inline: ["kind: Pod"] }, "must be of type object", ".inline[0]"),
    source("101 manifests", { inline: Array<unknown>(101).fill(configMap) }, "Too many", ".inline"),
    source("no ConfigMap's name", { configMapRef: {} }, "Required value", ".configMapRef.name"),
    source("a ConfigMap's name", { configMapRef: { name: "A" } }, "object's name", ".configMapRef.name"),
    source(
      "a Secret's namespace",
      { secretRef: { name: "a", namespace: "B" } },
      "DNS label",
      ".secretRef.namespace",
    ),
    source(
      "a key with a slash",
      { secretRef: { name: "a", key: "b/c" } },
      "must consist of",
      ".secretRef.key",
    ),
    oci("a tag alone", "ghcr.io/acme/a:v1", "a tag alone can change"),
    oci("a short digest", "ghcr.io/acme/a@sha256:abc", "@sha256:<digest>"),
    oci("a scheme", `oci://ghcr.io/acme/a@sha256:${sha}`, "host/repository"),
    oci("no repository", `ghcr.io@sha256:${sha}`, "host/repository"),
    oci("capitals", `ghcr.io/Acme/a@sha256:${sha}`, "host/repository"),
    http("plain http", "http://example.com/a.yaml", "must be https://"),
    http("a password", "https://jane:secret@example.com/a.yaml", "without user, password"),
    http("a query", "https://example.com/a.yaml?token=secret", "query"),
    http("no path", "https://example.com", "must be https://host/path"),
    source("no digest", { http: { url: "https://example.com/a" } }, "Required value", ".http.digest"),
    source(
      "a digest of another kind",
      { http: { url: "https://example.com/a", digest: "md5:abc" } },
      "64 hexadecimal digits",
      ".http.digest",
    ),
    before("no image", { image: undefined }, "Required value", "image"),
    before("no tag", { image: "registry.example.com:5000/check" }, "a digest or a tag", "image"),
    before("the tag latest", { image: "check:latest" }, "other than latest", "image"),
    before("an image in capitals", { image: "Check:1" }, "in lower case", "image"),
    before("a name that is too long", { name: "a".repeat(41) }, "Too long", "name"),
    before("a name in capitals", { name: "Check" }, "must be a DNS label", "name"),
    before("no time", { timeoutSeconds: 0 }, "greater than or equal to 1", "timeoutSeconds"),
    before("two hours", { timeoutSeconds: 7200 }, "less than or equal to 3600", "timeoutSeconds"),
    before("half a second", { timeoutSeconds: 0.5 }, "must be of type integer", "timeoutSeconds"),
    before("too many tries", { backoffLimit: 11 }, "less than or equal to 10", "backoffLimit"),
    before("a privilege", { privileged: true }, "unknown field", "privileged"),
    before("a variable's name", { env: [{ name: "1A" }] }, "must consist of letters", "env[0].name"),
    bad("a job twice", "spec.jobs.after", [job, job], "Duplicate value", "spec.jobs.after[1]"),
    bad("a value that is a number", "spec.values", { a: 1 }, "must be of type string", "spec.values.a"),
    bad("a key of values with a space", "spec.values", { "a b": "c" }, "every key of values"),
    bad("values from two at once", "spec.valuesFrom", [{}], "exactly one of", "spec.valuesFrom[0]"),
    bad("a rollback to itself", "spec.rollbackTo", "1.2.3", "must be an earlier version"),
    bad("a rollback to a revision", "spec.rollbackTo", "3", "must be X.Y.Z"),
    bad("an account in capitals", "spec.serviceAccountName", "Admin", "must be a DNS label"),
    bad("an account elsewhere", "spec.serviceAccountName", "kube-system/admin", "must be a DNS label"),
    bad("no attempt", "spec.jobs.attempt", 0, "greater than or equal to 1"),
    bad("no history", "spec.historyLimit", 0, "greater than or equal to 1"),
    bad("an endless history", "spec.historyLimit", 51, "less than or equal to 50"),
    bad("an unknown deletion policy", "spec.deletionPolicy", "Keep", "supported values"),
    bad("a namespace with a dot", "spec.namespace", "a.b", "must be a DNS label"),
    bad("paused as text", "spec.paused", "true", "must be of type boolean"),
  ],
};
