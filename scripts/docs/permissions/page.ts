import { allActions, type Operation, type PermissionGroup } from "./permission";

const OPERATIONS: readonly Operation[] = ["create", "read", "update", "delete"];

/**
 * Roles and instance profiles are named after the cluster, which has the name of the environment; they lie at the top, or below the path
 * of `cluster.iam.path`. Every partition has the same names.
 */
const OWN_ROLES = ["role", "instance-profile"].flatMap((kind) => [
  `arn:*:iam::*:${kind}/ENVIRONMENT-*`,
  `arn:*:iam::*:${kind}/*/ENVIRONMENT-*`,
]);
const SERVICE_LINKING = "iam:CreateServiceLinkedRole";
const SERVICE_ROLES = ["arn:*:iam::*:role/aws-service-role/*"];

interface Statement {
  Effect: "Allow";
  Action: string[];
  Resource: string | string[];
}

/** The page with the rights of whoever runs the engine, as tables and as policies. */
export function permissionsPage(groups: readonly PermissionGroup[]): string {
  return [
    "# Permissions on AWS",
    "",
    "What whoever runs `pulumi up`, `refresh` and `destroy` may have to do on AWS, by resource type. The nodes' own roles are made by the",
    "program and are not in it.",
    "",
    "**Compiled, not tried.** The tables come from the AWS documentation, from AWS's own resource schemas where these could be read, and from",
    "the ledger of the sandbox's AWS API: tests fail if a type that the components use is missing here, or if a run in the sandbox asks for",
    "an action that is not. No real account has ever been used, and the sandbox enforces no IAM policy. The official provider may ask for",
    "more; what it is refused, it names.",
    "",
    "Beyond the tables: `sts:GetCallerIdentity`, which nobody needs a right for. With a KMS key of your own for volumes",
    "(`servers.volumeKmsKeyId`), also `kms:CreateGrant`, `kms:DescribeKey` and `kms:GenerateDataKeyWithoutPlaintext` on that key.",
    "",
    "Each section ends with its tables as a policy, below the 6,144 characters that AWS allows. Put the stack's",
    "`fleetwright:environment` for `ENVIRONMENT`: the program's roles begin with it, below any path (`cluster.iam.path`). The policies hold in every partition.",
    "",
    ...groups.flatMap(sectionOf),
  ].join("\n");
}

function sectionOf(group: PermissionGroup): string[] {
  return [
    `## ${group.title}`,
    "",
    group.needed,
    "",
    `| type | ${OPERATIONS.join(" | ")} |`,
    `| --- |${" --- |".repeat(OPERATIONS.length)}`,
    ...Object.entries(group.types).map(
      ([token, permissions]) =>
        `| \`${token}\` | ${OPERATIONS.map((operation) => cell(permissions[operation])).join(" | ")} |`,
    ),
    "",
    "<details><summary>As a policy</summary>",
    "",
    "```json",
    policyOf(group),
    "```",
    "",
    "</details>",
    "",
  ];
}

function cell(actions: readonly string[]): string {
  return actions.length === 0 ? "" : actions.map((action) => `\`${action}\``).join(" ");
}

/** The group's actions as an IAM policy: what is about roles for the program's own ones only. */
export function policyOf(group: PermissionGroup): string {
  const actions = allActions(group);
  const linking = actions.filter((action) => action === SERVICE_LINKING);
  const roles = actions.filter((action) => action.startsWith("iam:") && action !== SERVICE_LINKING);
  // EKS looks whether its own role is there before it makes it.
  const looking = actions.filter((action) => linking.length > 0 && action === "iam:GetRole");
  const others = actions.filter((action) => !action.startsWith("iam:"));
  const statements: Statement[] = [
    { Effect: "Allow", Action: others, Resource: "*" },
    { Effect: "Allow", Action: roles, Resource: OWN_ROLES },
    { Effect: "Allow", Action: [...linking, ...looking], Resource: SERVICE_ROLES },
  ];
  return JSON.stringify(
    { Version: "2012-10-17", Statement: statements.filter(({ Action }) => Action.length > 0) },
    undefined,
    2,
  );
}
