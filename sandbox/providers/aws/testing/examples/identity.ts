import type * as aws from "@pulumi/aws";
import { allow, example, trust } from "./example";

/** The types of who may do what, of keys, values and logs. */
export const identity = [
  example<aws.iam.RoleArgs>({
    token: "aws:iam/role:Role",
    inputs: () => ({
      assumeRolePolicy: trust("ec2.amazonaws.com"),
      description: "example",
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      assumeRolePolicy: trust("eks.amazonaws.com"),
      description: "other",
      maxSessionDuration: 7200,
      permissionsBoundary: (
        await fixture.need("aws:iam/policy:Policy", "boundary", { policy: allow("s3:*") })
      ).id,
    }),
  }),
  example<aws.iam.PolicyArgs>({
    token: "aws:iam/policy:Policy",
    inputs: () => ({ policy: allow("s3:GetObject"), description: "example", tags: { Name: "example" } }),
    updates: () => ({ policy: allow("s3:PutObject") }),
  }),
  example<aws.iam.RolePolicyAttachmentArgs>({
    token: "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    inputs: async (fixture) => ({
      role: (await fixture.role()).id,
      policyArn: (await fixture.need("aws:iam/policy:Policy", "policy", { policy: allow("s3:GetObject") }))
        .id,
    }),
    updates: () => ({}),
  }),
  example<aws.iam.RolePolicyArgs>({
    token: "aws:iam/rolePolicy:RolePolicy",
    inputs: async (fixture) => ({ role: (await fixture.role()).id, policy: allow("s3:GetObject") }),
    updates: () => ({ policy: allow("s3:PutObject") }),
  }),
  example<aws.iam.InstanceProfileArgs>({
    token: "aws:iam/instanceProfile:InstanceProfile",
    inputs: async (fixture) => ({ role: (await fixture.role()).id, tags: { Name: "example" } }),
    updates: async (fixture) => ({ role: (await fixture.role("other-role")).id }),
  }),
  example<aws.kms.KeyArgs>({
    token: "aws:kms/key:Key",
    inputs: () => ({
      description: "example",
      deletionWindowInDays: 7,
      enableKeyRotation: true,
      tags: { Name: "example" },
    }),
    updates: () => ({
      description: "other",
      policy: allow("kms:*"),
      enableKeyRotation: false,
      isEnabled: false,
    }),
    fixed: { rotationPeriodInDays: "moto keeps the first answer" },
  }),
  example<aws.kms.AliasArgs>({
    token: "aws:kms/alias:Alias",
    inputs: async (fixture) => ({ targetKeyId: (await fixture.need("aws:kms/key:Key", "key", {})).id }),
    updates: async (fixture) => ({
      targetKeyId: (await fixture.need("aws:kms/key:Key", "other-key", {})).id,
    }),
  }),
  example<aws.ssm.ParameterArgs>({
    token: "aws:ssm/parameter:Parameter",
    inputs: () => ({
      name: "/example/token",
      type: "SecureString",
      value: "quiet",
      description: "example",
      tags: { Name: "example" },
    }),
    updates: () => ({ description: "other", tier: "Advanced", value: "louder", type: "String" }),
    fixed: {
      allowedPattern: "moto answers late",
      dataType: "for images only",
      insecureValue: "for plain values",
      keyId: "moto has one answer",
    },
  }),
  example<aws.cloudwatch.LogGroupArgs>({
    token: "aws:cloudwatch/logGroup:LogGroup",
    inputs: () => ({ retentionInDays: 14, tags: { Name: "example" } }),
    updates: () => ({ retentionInDays: 30 }),
    fixed: { kmsKeyId: "moto keeps the first answer" },
  }),
  example<aws.route53.ZoneArgs>({
    token: "aws:route53/zone:Zone",
    inputs: () => ({ name: "example.test", tags: { Name: "example" } }),
    updates: () => ({ comment: "other" }),
  }),
  example<aws.route53.RecordArgs>({
    token: "aws:route53/record:Record",
    inputs: async (fixture) => ({
      zoneId: (await fixture.need("aws:route53/zone:Zone", "zone", { name: "fleet.test" })).id,
      name: "api",
      type: "A",
      ttl: 60,
      records: ["192.0.2.1"],
    }),
    updates: () => ({ ttl: 120, records: ["192.0.2.1", "192.0.2.2"] }),
    replaces: () => ({ type: "AAAA" }),
    fixed: {
      aliases: "instead of records",
      healthCheckId: "needs a health check",
      type: "replaces, see there",
      weightedRoutingPolicies: "needs a set identifier",
    },
  }),
];
