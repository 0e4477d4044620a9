import { z } from "zod";
import { PLUGIN_NAMESPACE } from "./names";
import { listOf } from "./schema/list";
import { dataKey, referenceFields, referenceTo } from "./schema/reference";
import { withKeywords, withRule } from "./schema/rule";
import { digest, downloadUrl, HOST_AND_PORT, text, textLike } from "./schema/text";

const like = (pattern: RegExp) => z.string().refine((found) => pattern.test(found), "is not valid here");

// The server itself knows what the metadata of an embedded object may be; here it is said once more for TypeScript.
const others = [
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
] as const;
const more = ["deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "managedFields"] as const;
const metadata = z.strictObject({
  ...Object.fromEntries([...others, ...more].map((field) => [field, z.unknown().optional()])),
  name: like(/^(?!\.{1,2}$)[^/%]*$/).nullish(),
  namespace: like(/^(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)?$/).nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
  finalizers: z.array(z.string()).nullish(),
});

const manifest = withRule(
  withKeywords(
    z.looseObject({
      // Patterns and not rules: CEL takes the strings of embedded objects for boundless, and so for too costly.
      apiVersion: text(317).regex(/^(?:[a-z0-9][-a-z0-9.]*\/)?v[0-9][a-z0-9]*$/),
      kind: text(63).regex(/^[A-Z][A-Za-z0-9]*$/),
      metadata,
    }),
    {
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  ),
  {
    cel: "has(self.metadata.name)",
    holds: ({ metadata: { name } }) => typeof name === "string" && name !== "",
    message: "a manifest must have metadata.name: give the object a name",
    field: "metadata",
  },
);

const inline = withRule(listOf(manifest, 100), {
  cel: `self.all(m, m.kind != "Secret" || m.apiVersion != "v1")`,
  holds: (manifests) => manifests.every(({ kind, apiVersion }) => kind !== "Secret" || apiVersion !== "v1"),
  message:
    "inline manifests must not hold a Secret, because a Plugin is readable by more people: use secretRef",
});

const keyed = (what: "Secret" | "ConfigMap") =>
  z.strictObject({
    ...referenceFields(what, PLUGIN_NAMESPACE),
    key: dataKey()
      .optional()
      .describe("The key whose text holds the manifests; without it, all keys in the order of their names."),
  });

/** The fields of which a Plugin's source has exactly one. */
const SOURCES = ["inline", "configMapRef", "secretRef", "oci", "http"] as const;

/** Where a Plugin's manifests come from. */
export const pluginSource = withRule(
  z.strictObject({
    inline: inline.optional().describe("The manifests themselves."),
    configMapRef: keyed("ConfigMap").optional().describe("A ConfigMap with manifests in YAML or JSON."),
    secretRef: keyed("Secret").optional().describe("A Secret with manifests in YAML or JSON."),
    oci: z
      .strictObject({
        reference: textLike(
          512,
          `${HOST_AND_PORT}(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?@sha256:[0-9a-f]{64}`,
          "the reference must be host/repository@sha256:<digest>, a tag before the @ is allowed: a tag alone can change its meaning",
        ).describe("The artifact, with its digest."),
        pullSecretRef: referenceTo("Secret", PLUGIN_NAMESPACE)
          .optional()
          .describe("A Secret of type `kubernetes.io/dockerconfigjson` to pull it with."),
      })
      .optional()
      .describe(
        "An OCI artifact whose layers are manifests in YAML or JSON, or a tar archive of such, gzipped or not.",
      ),
    http: z
      .strictObject({
        url: downloadUrl().describe("The address of a file with manifests in YAML."),
        digest: digest().describe("The SHA-256 of the file; one with another is never applied."),
      })
      .optional()
      .describe("A file on the web."),
  }),
  {
    cel: `[${SOURCES.map((field) => `has(self.${field})`).join(", ")}].exists_one(given, given)`,
    holds: (source) => SOURCES.filter((field) => source[field] !== undefined).length === 1,
    message: `a source must have exactly one of ${SOURCES.join(", ")}: remove the others or add one`,
  },
);
