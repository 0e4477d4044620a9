import { z } from "zod";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { setOf } from "./schema/list";
import { dataKey, referenceFields } from "./schema/reference";
import { celRaw, withRule } from "./schema/rule";
import { labelSelector } from "./schema/selector";
import { HOST_AND_PORT, recordedTimestamp, objectName, textLike } from "./schema/text";

/** The label by which a namespace opts out of pull secrets, unless a Registry says otherwise. */
export const REGISTRIES_LABEL = "fleetwright.dev/registries";

const ecrEndpoint = "^[0-9]{12}[.]dkr[.]ecr(?:-fips)?[.][a-z0-9-]+[.]amazonaws[.]com(?:[.]cn)?$";
const garEndpoint = "^(?:[a-z0-9-]+-docker[.]pkg[.]dev|(?:[a-z]+[.])?gcr[.]io)$";
const [ecr, gar] = [new RegExp(ecrEndpoint), new RegExp(garEndpoint)];

const endpoint = withRule(
  textLike(
    260,
    HOST_AND_PORT,
    "the endpoint must be host or host:port in lower case: leave out https:// and any path",
  ),
  {
    cel: `!self.contains(":") || !self.matches(r":[0-9]{1,5}$") || int(self.split(":")[1]) <= 65535`,
    holds: (found) => Number(/:([0-9]{1,5})$/.exec(found)?.[1] ?? 0) <= 65535,
    message: "the endpoint's port must be at most 65535",
  },
);

const spec = z.strictObject({
  provider: z
    .enum(["basic", "ecr", "gar", "github", "gitlab", "dockerhub", "quay", "acr"])
    .describe(
      "Whose registry it is: `ecr` is Amazon's and `gar` Google's, whose tokens are renewed; all others take a user name and a password as `basic` does.",
    ),
  endpoint: endpoint.describe("The registry's host, with a port if it has one, such as `ghcr.io`."),
  credentials: z
    .strictObject({
      ...referenceFields("Secret"),
      usernameKey: dataKey()
        .default("username")
        .describe("The key in the Secret with the user name; for `ecr` the access key id. `gar` needs none."),
      passwordKey: dataKey()
        .default("password")
        .describe(
          "The key with the password or token; for `ecr` the secret access key, for `gar` the JSON key.",
        ),
    })
    .optional()
    .describe(
      "The Secret with the credentials. Only `ecr` can do without one, by the role of its pod or node.",
    ),
  ecr: z
    .strictObject({
      region: textLike(32, "[a-z]{2}(?:-[a-z]+)+-[0-9]", "the region must be an AWS region such as eu-west-1")
        .optional()
        .describe("The region, if it is not the one in the endpoint."),
      accountId: textLike(12, "[0-9]{12}", "the account must be an AWS account id of 12 digits")
        .optional()
        .describe("The account, if it is not the one in the endpoint."),
      roleArn: textLike(
        2048,
        "arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+",
        "the role must be the ARN of an IAM role, such as arn:aws:iam::123456789012:role/pull",
      )
        .optional()
        .describe("A role to assume before asking for a token."),
    })
    .optional()
    .describe("What only Amazon ECR needs."),
  serviceAccounts: setOf(objectName("a service account's name"), 32)
    .default(["fleetwright"])
    .describe(
      "The service accounts, in each selected namespace, whose pods may pull with these credentials.",
    ),
  namespaceSelector: labelSelector()
    .default({ matchExpressions: [{ key: REGISTRIES_LABEL, operator: "NotIn", values: ["disabled"] }] })
    .describe(
      `The namespaces that get the pull secret. By default all but those with the label \`${REGISTRIES_LABEL}: disabled\`.`,
    ),
});

const ruled = [
  {
    cel: `self.provider == "ecr" || has(self.credentials)`,
    holds: (found: z.output<typeof spec>) => found.provider === "ecr" || found.credentials !== undefined,
    message: "credentials must name a Secret for every provider but ecr: add credentials.name",
    field: "credentials",
  },
  {
    cel: `self.provider == "ecr" || !has(self.ecr)`,
    holds: (found: z.output<typeof spec>) => found.provider === "ecr" || found.ecr === undefined,
    message: "ecr is only allowed with the provider ecr: remove it or change the provider",
    field: "ecr",
  },
  {
    cel: `self.provider != "ecr" || self.endpoint.matches(${celRaw(ecrEndpoint)}) || (has(self.ecr) && has(self.ecr.region) && has(self.ecr.accountId))`,
    holds: ({ provider, endpoint: host, ecr: own }: z.output<typeof spec>) =>
      provider !== "ecr" || ecr.test(host) || (own?.region !== undefined && own.accountId !== undefined),
    message:
      "the endpoint of an ECR registry must be <account>.dkr.ecr.<region>.amazonaws.com, or ecr.region and ecr.accountId must be given",
    field: "endpoint",
  },
  {
    cel: `self.provider != "gar" || self.endpoint.matches(${celRaw(garEndpoint)})`,
    holds: ({ provider, endpoint: host }: z.output<typeof spec>) => provider !== "gar" || gar.test(host),
    message: "the endpoint of a Google registry must be <location>-docker.pkg.dev or gcr.io",
    field: "endpoint",
  },
].reduce((schema, rule) => withRule(schema, rule), spec);

/** The kind `Registry`: an image registry that pods may pull from. */
export const registry = defineKind({
  kind: "Registry",
  plural: "registries",
  shortNames: ["fwreg"],
  summary: "An image registry from which pods in every namespace may pull.",
  details: [
    "The coordinator keeps a pull secret in every selected namespace and names it in the selected service accounts, leaving their other entries as they are. Tokens that expire are renewed in place ahead of time.",
    "Credentials never stand in a Registry: it names the Secret that holds them.",
  ],
  spec: ruled,
  status: z.strictObject({
    ...commonStatus(),
    namespaces: z
      .strictObject({
        ready: z.int().min(0).describe("Namespaces whose pull secret is in place."),
        total: z.int().min(0).describe("Namespaces that are selected."),
      })
      .optional()
      .describe("Where the pull secret is in place."),
    lastRenewed: recordedTimestamp().optional().describe("When the credentials were last read or renewed."),
    expiresAt: recordedTimestamp()
      .optional()
      .describe("When the token in force expires; absent if it does not."),
  }),
  columns: [
    { name: "Provider", type: "string", jsonPath: ".spec.provider", description: "Whose registry it is." },
    { name: "Endpoint", type: "string", jsonPath: ".spec.endpoint", description: "The registry's host." },
    {
      name: "Namespaces",
      type: "integer",
      jsonPath: ".status.namespaces.ready",
      description: "Namespaces with a pull secret.",
    },
    {
      name: "Ready",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].status",
      description: "Whether every namespace is ready.",
    },
    {
      name: "Expires",
      type: "string",
      jsonPath: ".status.expiresAt",
      description: "When the token expires.",
    },
    {
      name: "Service Accounts",
      type: "string",
      jsonPath: ".spec.serviceAccounts",
      description: "The service accounts that pull with it.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "github" },
    spec: {
      provider: "github",
      endpoint: "ghcr.io",
      credentials: { name: "github-pull" },
      serviceAccounts: ["fleetwright", "default"],
    },
  },
});

/** An image registry from which pods may pull. */
export type Registry = ObjectOf<typeof registry>;
/** The spec of a {@link Registry} as it is written. */
export type RegistrySpecInput = SpecInputOf<typeof registry>;
