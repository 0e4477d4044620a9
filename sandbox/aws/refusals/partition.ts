import type { Refusal } from "../answer";
import type { Call } from "../call";
import { partitionOf } from "../partition";
import type { RefusalRule } from "../rule";

/** Parameters that hold a policy, in which a service looks at every ARN. */
const DOCUMENTS = ["PolicyDocument", "AssumeRolePolicyDocument", "Policy"];
/** Parameters that hold one ARN. */
const ARNS = [
  "PolicyArn",
  "PermissionsBoundary",
  "roleArn",
  "nodeRole",
  "principalArn",
  "serviceAccountRoleArn",
];

/** ARNs of another partition: GovCloud and China know nothing of `arn:aws:`. */
export const partition: RefusalRule = {
  name: "partition",
  calls: [
    ...["CreateRole", "UpdateAssumeRolePolicy", "PutRolePolicy", "AttachRolePolicy", "DetachRolePolicy"],
    ...["CreatePolicy", "CreatePolicyVersion", "PutRolePermissionsBoundary"],
  ]
    .map((action) => `iam:${action}`)
    .concat(
      ["kms:CreateKey", "kms:PutKeyPolicy"],
      [
        "CreateCluster",
        "CreateNodegroup",
        "CreateAddon",
        "CreateAccessEntry",
        "CreatePodIdentityAssociation",
      ].map((action) => `eks:${action}`),
    ),
  check(call, { region }) {
    const own = partitionOf(region);
    const foreign = (text: unknown): string | undefined =>
      typeof text === "string"
        ? [...text.matchAll(/arn:(aws[a-z-]*):[^"'\s]*/g)].find(([, found]) => found !== own)?.[0]
        : undefined;
    for (const name of DOCUMENTS) {
      const arn = foreign(call.parameters[name]);
      if (arn !== undefined) return Promise.resolve(inDocument(call, arn));
    }
    const arn = ARNS.map((name) => foreign(call.parameters[name])).find((found) => found !== undefined);
    return Promise.resolve(arn === undefined ? undefined : alone(call, arn, own));
  },
};

function inDocument(call: Call, arn: string): Refusal {
  const [, found = ""] = arn.split(":");
  return {
    code: call.service === "kms" ? "MalformedPolicyDocumentException" : "MalformedPolicyDocument",
    message: `Partition "${found}" is not valid for resource "${arn}".`,
  };
}

function alone(call: Call, arn: string, own: string): Refusal {
  return call.service === "iam"
    ? { code: "InvalidInput", message: `ARN ${arn} is not valid.` }
    : {
        code: "InvalidParameterException",
        message: `The ARN ${arn} is not valid: it is not of the partition ${own}.`,
      };
}
