import { bad, type Cases } from "./case";
import { malformedSelectors } from "./selector";

const endpoint = (it: string, value: unknown, says: string) => bad(it, "spec.endpoint", value, says);
const ecr = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";

/** What both validators must say of Registries. */
export const registryCases: Cases = {
  base: {
    provider: "basic",
    endpoint: "registry.example.com:5000",
    credentials: { name: "pull", namespace: "secrets" },
    serviceAccounts: ["default"],
    namespaceSelector: {},
  },
  valid: [
    ["ECR by its endpoint alone", { provider: "ecr", endpoint: ecr }],
    [
      "ECR behind a name of one's own",
      {
        provider: "ecr",
        endpoint: "images.example.com",
        ecr: {
          region: "us-gov-west-1",
          accountId: "123456789012",
          roleArn: "arn:aws:iam::123456789012:role/a/pull",
        },
      },
    ],
    ["Google", { provider: "gar", endpoint: "europe-west4-docker.pkg.dev", credentials: { name: "gar" } }],
    ["an address", { provider: "basic", endpoint: "10.0.0.1:65535", credentials: { name: "pull" } }],
    [
      "a selector",
      {
        provider: "github",
        endpoint: "ghcr.io",
        credentials: { name: "pull" },
        namespaceSelector: { matchLabels: { "example.com/pull": "", b: "C.d_e-f" } },
      },
    ],
  ],
  malformed: [
    bad("no provider", "spec.provider", undefined, "Required value"),
    bad("an unknown provider", "spec.provider", "quux", "supported values"),
    bad("a provider in capitals", "spec.provider", "ECR", "supported values"),
    endpoint("no endpoint", undefined, "Required value"),
    endpoint("an empty endpoint", "", "at least 1 chars"),
    endpoint("a scheme", "https://ghcr.io", "leave out https://"),
    endpoint("a path", "ghcr.io/acme", "leave out https://"),
    endpoint("capitals", "GHCR.io", "in lower case"),
    endpoint("a user", "jane:secret@ghcr.io", "must be host or host:port"),
    endpoint("a space", "ghcr.io ", "must be host or host:port"),
    endpoint("an underscore", "my_registry", "must be host or host:port"),
    endpoint("port 0", "ghcr.io:0", "must be host or host:port"),
    endpoint("no port after the colon", "ghcr.io:", "must be host or host:port"),
    endpoint("a port that is too high", "ghcr.io:65536", "at most 65535"),
    endpoint("two dots", "ghcr..io", "must be host or host:port"),
    endpoint("too long", `${"a".repeat(260)}.io`, "Too long"),
    endpoint("a number", 5000, "must be of type string"),
    bad("no credentials", "spec.credentials", undefined, "must name a Secret"),
    bad("a password in the spec", "spec.password", "hunter2", "unknown field"),
    bad("a password in the credentials", "spec.credentials.password", "hunter2", "unknown field"),
    bad("credentials as text", "spec.credentials", "jane:hunter2", "must be of type object"),
    bad("no Secret's name", "spec.credentials.name", undefined, "Required value"),
    bad("a Secret's name that is none", "spec.credentials.name", "Pull_Secret", "must be an object's name"),
    bad("a namespace with a dot", "spec.credentials.namespace", "a.b", "must be a DNS label"),
    bad("a key with a slash", "spec.credentials.usernameKey", "a/b", "must consist of letters"),
    bad("an empty key", "spec.credentials.passwordKey", "", "at least 1 chars"),
    bad("a wrong endpoint for ECR", "spec.provider", "ecr", "<account>.dkr.ecr", "spec.endpoint"),
    bad("a wrong endpoint for Google", "spec.provider", "gar", "-docker.pkg.dev", "spec.endpoint"),
    bad(
      "ECR's fields for another",
      "spec.ecr",
      { region: "eu-west-1" },
      "only allowed with the provider ecr",
    ),
    bad(
      "a region that is none",
      "spec.ecr",
      { region: "Ireland" },
      "must be an AWS region",
      "spec.ecr.region",
    ),
    bad(
      "an account of 11 digits",
      "spec.ecr",
      { accountId: "12345678901" },
      "12 digits",
      "spec.ecr.accountId",
    ),
    bad("a role that is none", "spec.ecr", { roleArn: "pull" }, "ARN of an IAM role", "spec.ecr.roleArn"),
    bad(
      "an account as number",
      "spec.ecr",
      { accountId: 123456789012 },
      "of type string",
      "spec.ecr.accountId",
    ),
    bad(
      "a service account twice",
      "spec.serviceAccounts",
      ["a", "a"],
      "Duplicate",
      "spec.serviceAccounts[1]",
    ),
    bad(
      "a service account's name",
      "spec.serviceAccounts",
      ["A"],
      "object's name",
      "spec.serviceAccounts[0]",
    ),
    bad(
      "33 service accounts",
      "spec.serviceAccounts",
      Array.from({ length: 33 }, (_, index) => `a${index}`),
      "Too many",
    ),
    ...malformedSelectors("spec.namespaceSelector"),
  ],
};
