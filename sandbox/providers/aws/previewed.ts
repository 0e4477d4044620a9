import type * as aws from "@pulumi/aws";
import { declare, type AwsResource } from "./core/declaration";
import { required, updates } from "./core/property";

const absent = (): Promise<never> =>
  Promise.reject(
    new Error(
      "The sandbox's AWS has no Data Lifecycle Manager, so it shows this in a preview and cannot make it. " +
        "Set selfManaged.snapshotVolumes to false to bring the stack up here.",
    ),
  );

/** Types of services that the sandbox's AWS lacks: a preview shows them, an update says what to leave out. */
const declarations: readonly AwsResource[] = [
  declare<aws.dlm.LifecyclePolicyArgs, aws.dlm.LifecyclePolicyState>({
    token: "aws:dlm/lifecyclePolicy:LifecyclePolicy",
    properties: {
      description: required,
      executionRoleArn: required,
      policyDetails: required,
      state: { ...updates, fallback: "ENABLED" },
    },
    tagging: { set: absent, remove: absent },
    create: absent,
    read: () => Promise.resolve(undefined),
    delete: absent,
  }),
];

/** The same by their token. */
export const previewed: ReadonlyMap<string, AwsResource> = new Map(
  declarations.map((resource) => [resource.token, resource]),
);
