import type * as aws from "@pulumi/aws";
import { lookup } from "../core/declaration";
import { fromTagList } from "../core/tags";

/** A value in the parameter store. */
export const getParameter = lookup<aws.ssm.GetParameterArgs, aws.ssm.GetParameterResult>({
  token: "aws:ssm/getParameter:getParameter",
  args: ["name", "withDecryption"],
  async invoke({ aws, region }, args) {
    const { Parameter: found } = await (
      await aws.ssm()
    ).getParameter({ Name: args.name, WithDecryption: args.withDecryption ?? true });
    const value = found?.Value ?? "";
    return {
      ...args,
      arn: found?.ARN ?? "",
      id: args.name,
      insecureValue: found?.Type === "SecureString" ? "" : value,
      region,
      type: found?.Type ?? "",
      value,
      version: found?.Version ?? 0,
    };
  },
});

/** A hosted zone by its name or id. */
export const getZone = lookup<aws.route53.GetZoneArgs, aws.route53.GetZoneResult>({
  token: "aws:route53/getZone:getZone",
  args: ["name", "privateZone", "zoneId"],
  async invoke({ aws, partition }, args) {
    const dns = await aws.route53();
    const name = `${(args.name ?? "").replace(/\.$/, "")}.`;
    const { HostedZones } = await dns.listHostedZones({});
    const fitting = (HostedZones ?? []).filter((zone) =>
      args.zoneId === undefined
        ? zone.Name === name && (zone.Config?.PrivateZone ?? false) === (args.privateZone ?? false)
        : zone.Id?.endsWith(`/${args.zoneId}`),
    );
    const [found, second] = fitting;
    if (found?.Id === undefined || second !== undefined) {
      throw new Error(
        `getZone found ${fitting.length} hosted zones for ${JSON.stringify(args)}; it needs exactly one.`,
      );
    }
    const id = found.Id.replace("/hostedzone/", "");
    const { DelegationSet } = await dns.getHostedZone({ Id: id });
    const { ResourceTagSet } = await dns.listTagsForResource({ ResourceType: "hostedzone", ResourceId: id });
    return {
      arn: `arn:${partition}:route53:::hostedzone/${id}`,
      callerReference: found.CallerReference ?? "",
      comment: found.Config?.Comment ?? "",
      id,
      linkedServiceDescription: "",
      linkedServicePrincipal: "",
      name: (found.Name ?? "").replace(/\.$/, ""),
      nameServers: [...(DelegationSet?.NameServers ?? [])].sort(),
      primaryNameServer: DelegationSet?.NameServers?.[0] ?? "",
      privateZone: found.Config?.PrivateZone ?? false,
      resourceRecordSetCount: found.ResourceRecordSetCount ?? 0,
      tags: fromTagList(ResourceTagSet?.Tags),
      zoneId: id,
    };
  },
});
