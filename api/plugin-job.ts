import { z } from "zod";
import { listOf, mapOf } from "./schema/list";
import { withRule } from "./schema/rule";
import { dnsLabelName, HOST_AND_PORT, objectName, text, textLike } from "./schema/text";

const name = "(?:[a-z0-9]+(?:[._-]+[a-z0-9]+)*)";

/** A container image that says which one it is: by a tag that is not `latest`, or by a digest. */
const image = withRule(
  textLike(
    512,
    `(?:${HOST_AND_PORT}/)?${name}(?:/${name})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?`,
    "the image must be [host/]repository[:tag][@sha256:digest] in lower case",
  ),
  {
    cel: `self.contains("@sha256:") || (self.matches(r":[A-Za-z0-9_][A-Za-z0-9_.-]*$") && !self.endsWith(":latest"))`,
    holds: (found) =>
      found.includes("@sha256:") ||
      (/:[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(found) && !found.endsWith(":latest")),
    message: "the image must have a digest or a tag other than latest, so that it stays the same one",
  },
);

const words = (what: string) => listOf(text(4096, 0), 64).optional().describe(what);

const job = z.strictObject({
  name: dnsLabelName("the job's name").max(40).describe("The job's name."),
  image: image.describe("The container image."),
  command: words("The program to run, instead of the image's own."),
  args: words("Its arguments."),
  env: mapOf(
    z.strictObject({
      name: textLike(
        128,
        "[A-Za-z_][A-Za-z0-9_]*",
        `the variable's name must consist of letters, digits and "_", not beginning with a digit`,
      ).describe("The variable's name."),
      value: text(4096, 0)
        .default("")
        .describe("Its value. Credentials belong in a Secret that the manifests mount."),
    }),
    "name",
    64,
  )
    .default([])
    .describe("Environment variables."),
  serviceAccountName: objectName("the service account's name")
    .default("fleetwright")
    .describe("The service account whose rights the job has."),
  timeoutSeconds: z.int().min(1).max(3600).default(300).describe("How long it may run in all."),
  backoffLimit: z.int().min(0).max(10).default(1).describe("How often it is tried again."),
});

/** Counts how often the jobs of a version were asked for. */
export function attempt() {
  return z.int().min(1).max(1000);
}

/** Jobs that run one after another, each only if the one before succeeded. */
export function jobs() {
  return mapOf(job, "name", 16);
}
