// How long AWS's names may be, what they may hold, and in which words each service refuses one.
import type { Refusal } from "../answer";

/** What a name has to be. */
export interface NameRule {
  /** `service:Action` of the calls that give the name. */
  readonly calls: readonly string[];
  /** The parameter that holds it. */
  readonly parameter: string;
  /** What is wrong with a name; undefined where AWS takes it. */
  readonly refusal: (name: string) => Refusal | undefined;
}

/** Names by service. Lengths and characters are those of the API references. */
export const NAME_RULES: readonly NameRule[] = [
  {
    calls: ["elasticloadbalancing:CreateTargetGroup"],
    parameter: "Name",
    refusal: balancing("Target group name"),
  },
  {
    calls: ["elasticloadbalancing:CreateLoadBalancer"],
    parameter: "Name",
    refusal: (name) =>
      name.startsWith("internal-")
        ? invalid(`The load balancer name '${name}' cannot begin with 'internal-'`)
        : balancing("The load balancer name")(name),
  },
  iam(["CreateRole"], "RoleName", "roleName", 64),
  iam(["CreateUser"], "UserName", "userName", 64),
  iam(["CreateGroup"], "GroupName", "groupName", 128),
  iam(["CreatePolicy", "PutRolePolicy", "PutUserPolicy"], "PolicyName", "policyName", 128),
  iam(["CreateInstanceProfile"], "InstanceProfileName", "instanceProfileName", 128),
  {
    calls: ["ec2:CreateLaunchTemplate"],
    parameter: "LaunchTemplateName",
    refusal: (name) =>
      fits(name, /^[a-zA-Z0-9().\-/_]+$/, 3, 128)
        ? undefined
        : {
            code: "InvalidLaunchTemplateName.MalformedException",
            message:
              "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following characters: - ( ) . / _.",
          },
  },
  {
    calls: ["ec2:CreateSecurityGroup"],
    parameter: "GroupName",
    refusal: (name) =>
      name.startsWith("sg-")
        ? {
            code: "InvalidParameterValue",
            message: `Value (${name}) for parameter GroupName is invalid. Group names may not be in the format sg-*.`,
          }
        : groupText("GroupName")(name),
  },
  {
    calls: ["ec2:CreateSecurityGroup"],
    parameter: "GroupDescription",
    refusal: groupText("GroupDescription"),
  },
  {
    calls: ["ec2:CreateKeyPair", "ec2:ImportKeyPair"],
    parameter: "KeyName",
    refusal: (name) =>
      fits(name, /^[\x20-\x7e]+$/, 1, 255)
        ? undefined
        : {
            code: "InvalidParameterValue",
            message: `Value (${name}) for parameter KeyName is invalid. It must have up to 255 ASCII characters.`,
          },
  },
  {
    calls: ["autoscaling:CreateAutoScalingGroup", "autoscaling:PutLifecycleHook"],
    parameter: "AutoScalingGroupName",
    refusal: (name) => tooLong(name, "autoScalingGroupName", 255, "ValidationError"),
  },
  {
    calls: ["autoscaling:PutLifecycleHook"],
    parameter: "LifecycleHookName",
    refusal: (name) =>
      tooLong(name, "lifecycleHookName", 255, "ValidationError") ??
      otherCharacters(name, "lifecycleHookName", /^[A-Za-z0-9\-_/]+$/, "ValidationError"),
  },
  {
    calls: ["eks:CreateCluster"],
    parameter: "name",
    refusal: constrained("name", 100, /^[0-9A-Za-z][A-Za-z0-9\-_]*$/, "InvalidParameterException"),
  },
  {
    calls: ["eks:CreateNodegroup"],
    parameter: "nodegroupName",
    refusal: constrained("nodegroupName", 63, /^[0-9A-Za-z][A-Za-z0-9\-_]*$/, "InvalidParameterException"),
  },
  {
    calls: ["ssm:PutParameter"],
    parameter: "Name",
    refusal: constrained("name", 2048, /^[a-zA-Z0-9_.\-/]+$/, "ValidationException"),
  },
  {
    calls: ["logs:CreateLogGroup"],
    parameter: "logGroupName",
    refusal: constrained("logGroupName", 512, /^[.\-_/#A-Za-z0-9]+$/, "InvalidParameterException"),
  },
];

/** EC2 takes this many bytes of user data, counted before they are encoded. */
const MAX_USER_DATA_BYTES = 16_384;

/** The refusal of user data that is too large, as it was sent: base64 encoded. */
export function userDataRefusal(encoded: string): Refusal | undefined {
  return Buffer.from(encoded, "base64").length > MAX_USER_DATA_BYTES
    ? { code: "InvalidParameterValue", message: `User data is limited to ${MAX_USER_DATA_BYTES} bytes` }
    : undefined;
}

function balancing(what: string): NameRule["refusal"] {
  return (name) => {
    if (name.length > 32) return invalid(`${what} '${name}' cannot be longer than '32' characters`);
    if (!/^[a-zA-Z0-9-]*$/.test(name)) {
      return invalid(
        `${what} '${name}' can only contain characters that are alphanumeric characters and hyphens(-)`,
      );
    }
    return name.startsWith("-") || name.endsWith("-")
      ? invalid(`${what} '${name}' cannot begin or end with a hyphen`)
      : undefined;
  };
}

function invalid(message: string): Refusal {
  return { code: "ValidationError", message };
}

function iam(actions: readonly string[], parameter: string, field: string, longest: number): NameRule {
  return {
    calls: actions.map((action) => `iam:${action}`),
    parameter,
    refusal: (name) =>
      tooLong(name, field, longest, "ValidationError") ??
      (/^[\w+=,.@-]+$/.test(name)
        ? undefined
        : invalid(
            `The specified value for ${field} is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-`,
          )),
  };
}

function groupText(parameter: string): NameRule["refusal"] {
  return (text) =>
    fits(text, /^[a-zA-Z0-9 ._\-:/()#,@[\]+=&;{}!$*]+$/, 1, 255)
      ? undefined
      : {
          code: "InvalidParameterValue",
          message: `Value (${text}) for parameter ${parameter} is invalid. It must have up to 255 characters from the following set: a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*`,
        };
}

function constrained(field: string, longest: number, pattern: RegExp, code: string): NameRule["refusal"] {
  return (name) => tooLong(name, field, longest, code) ?? otherCharacters(name, field, pattern, code);
}

function tooLong(name: string, field: string, longest: number, code: string): Refusal | undefined {
  return name.length > longest
    ? unsatisfied(name, field, `Member must have length less than or equal to ${longest}`, code)
    : undefined;
}

function otherCharacters(name: string, field: string, pattern: RegExp, code: string): Refusal | undefined {
  return pattern.test(name)
    ? undefined
    : unsatisfied(name, field, `Member must satisfy regular expression pattern: ${pattern.source}`, code);
}

function unsatisfied(name: string, field: string, constraint: string, code: string): Refusal {
  return {
    code,
    message: `1 validation error detected: Value '${name}' at '${field}' failed to satisfy constraint: ${constraint}`,
  };
}

function fits(name: string, pattern: RegExp, shortest: number, longest: number): boolean {
  return name.length >= shortest && name.length <= longest && pattern.test(name);
}
