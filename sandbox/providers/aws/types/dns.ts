// Route 53: hosted zones and records.
import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type * as aws from "@pulumi/aws";
import { filled, given } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosenOnce, identifies, local, required, updates } from "../core/property";
import { fromTagList, tagList } from "../core/tags";

type Args = Plain<aws.route53.RecordArgs>;

const withoutDot = (value: unknown): string => String(value).replace(/\.$/, "").toLowerCase();

/** A hosted zone. */
export const zone = declare<aws.route53.ZoneArgs, aws.route53.ZoneState>({
  token: "aws:route53/zone:Zone",
  properties: {
    comment: { fallback: "Managed by Pulumi" },
    forceDestroy: { ...local, fallback: false },
    name: { ...chosenOnce, normal: withoutDot },
    vpcs: { set: true, replaces: true },
  },
  name: { property: "name", maxLength: 255 },
  global: true,
  tagging: {
    set: async ({ aws }, ResourceId, _state, tags) =>
      (await aws.route53()).changeTagsForResource({
        ResourceType: "hostedzone",
        ResourceId,
        AddTags: tagList(tags),
      }),
    remove: async ({ aws }, ResourceId, _state, keys) =>
      (await aws.route53()).changeTagsForResource({
        ResourceType: "hostedzone",
        ResourceId,
        RemoveTagKeys: [...keys],
      }),
  },
  async create(context, inputs) {
    const dns = await context.aws.route53();
    const vpc = inputs.vpcs?.[0];
    const { HostedZone } = await dns.createHostedZone({
      CallerReference: context.token,
      HostedZoneConfig: { Comment: inputs.comment, PrivateZone: vpc !== undefined },
      Name: given(inputs.name, "a name"),
      VPC:
        vpc === undefined
          ? undefined
          : { VPCId: vpc.vpcId, VPCRegion: literal(vpc.vpcRegion ?? context.region) },
    });
    const id = context.started(given(HostedZone?.Id, "the id of the zone").replace("/hostedzone/", ""));
    for (const more of inputs.vpcs?.slice(1) ?? []) {
      await dns.associateVPCWithHostedZone({
        HostedZoneId: id,
        VPC: { VPCId: more.vpcId, VPCRegion: literal(more.vpcRegion ?? context.region) },
      });
    }
    if (tagList(inputs.tags).length > 0)
      await dns.changeTagsForResource({
        ResourceType: "hostedzone",
        ResourceId: id,
        AddTags: tagList(inputs.tags),
      });
    return id;
  },
  async read({ aws, partition }, id) {
    const dns = await aws.route53();
    const found = await dns.getHostedZone({ Id: id });
    const { ResourceTagSet } = await dns.listTagsForResource({ ResourceType: "hostedzone", ResourceId: id });
    const servers = found.DelegationSet?.NameServers ?? [];
    return {
      arn: `arn:${partition}:route53:::hostedzone/${id}`,
      comment: found.HostedZone?.Config?.Comment ?? "",
      name: withoutDot(found.HostedZone?.Name),
      nameServers: [...servers].sort(),
      primaryNameServer: servers[0],
      tags: fromTagList(ResourceTagSet?.Tags),
      vpcs: (found.VPCs ?? []).map(({ VPCId, VPCRegion }) => ({ vpcId: VPCId ?? "", vpcRegion: VPCRegion })),
      zoneId: id,
    };
  },
  async update({ aws }, id, news, { has }) {
    if (has("comment"))
      await (await aws.route53()).updateHostedZoneComment({ Id: id, Comment: news.comment });
  },
  async delete({ aws }, id, state) {
    const dns = await aws.route53();
    if (state.forceDestroy === true) {
      const { ResourceRecordSets } = await dns.listResourceRecordSets({ HostedZoneId: id });
      const own = (ResourceRecordSets ?? []).filter(
        ({ Type, Name }) =>
          !(["NS", "SOA"].includes(Type ?? "") && withoutDot(Name) === withoutDot(state.name)),
      );
      const Changes = own.map((ResourceRecordSet) => ({ Action: "DELETE" as const, ResourceRecordSet }));
      if (Changes.length > 0)
        await dns.changeResourceRecordSets({ HostedZoneId: id, ChangeBatch: { Changes } });
    }
    await dns.deleteHostedZone({ Id: id });
  },
});

/** A record of a zone. */
export const record = declare<aws.route53.RecordArgs, aws.route53.RecordState>({
  token: "aws:route53/record:Record",
  properties: {
    aliases: updates,
    allowOverwrite: local,
    healthCheckId: updates,
    multivalueAnswerRoutingPolicy: { replaces: true },
    name: { ...identifies, normal: withoutDot },
    records: { set: true },
    setIdentifier: { replaces: true },
    ttl: updates,
    type: required,
    weightedRoutingPolicies: updates,
    zoneId: { ...identifies, normal: (value) => String(value).replace("/hostedzone/", "") },
  },
  global: true,
  replacesFor: () => ["type"],
  check: ({ records, aliases }) =>
    (records ?? aliases) === undefined ? ["A record needs records with a ttl, or aliases"] : [],
  async create(context, inputs) {
    await change(context, inputs, inputs.allowOverwrite === true ? "UPSERT" : "CREATE");
    return [
      inputs.zoneId,
      inputs.name,
      inputs.type,
      ...(inputs.setIdentifier === undefined ? [] : [inputs.setIdentifier]),
    ].join("_");
  },
  fromImport(given) {
    const [zoneId = "", name = "", type = "", setIdentifier] = given.split(/_(?=[^_])/);
    return {
      id: given,
      known: { zoneId, name, type, ...(setIdentifier === undefined ? {} : { setIdentifier }) },
    };
  },
  async read(context, _id, known) {
    const dns = await context.aws.route53();
    const { HostedZone } = await dns.getHostedZone({ Id: known.zoneId });
    const fqdn = fullName(known.name, withoutDot(HostedZone?.Name));
    const { ResourceRecordSets } = await dns.listResourceRecordSets({
      HostedZoneId: known.zoneId,
      StartRecordName: fqdn,
      StartRecordType: literal(known.type ?? ""),
    });
    const found = ResourceRecordSets?.find(
      ({ Name, Type, SetIdentifier }) =>
        withoutDot(unescaped(Name)) === withoutDot(fqdn) &&
        Type === known.type &&
        (SetIdentifier ?? "") === (known.setIdentifier ?? ""),
    );
    if (found === undefined) return undefined;
    const alias = found.AliasTarget;
    return {
      ...(alias === undefined
        ? {}
        : {
            aliases: [
              {
                evaluateTargetHealth: alias.EvaluateTargetHealth ?? false,
                name: withoutDot(alias.DNSName),
                zoneId: alias.HostedZoneId ?? "",
              },
            ],
          }),
      fqdn,
      healthCheckId: found.HealthCheckId ?? "",
      multivalueAnswerRoutingPolicy: found.MultiValueAnswer ?? false,
      name: known.name,
      records: (found.ResourceRecords ?? []).map(({ Value }) =>
        known.type === "TXT" ? (Value ?? "").replace(/^"|"$/g, "") : (Value ?? ""),
      ),
      setIdentifier: found.SetIdentifier ?? "",
      ttl: found.TTL,
      type: literal<aws.route53.RecordType>(found.Type ?? ""),
      ...(found.Weight === undefined ? {} : { weightedRoutingPolicies: [{ weight: found.Weight }] }),
      zoneId: known.zoneId,
    };
  },
  update: (context, _id, news) => change(context, news, "UPSERT"),
  async delete({ aws }, _id, state) {
    const dns = await aws.route53();
    await change({ aws }, state, "DELETE").catch((error: unknown) => {
      // Route 53 has no error of its own for a record that is gone.
      const text = String(Reflect.get(Object(error), "message"));
      if (!isAbsent(error) && !/not found/i.test(text)) throw error;
    });
    await dns.getHostedZone({ Id: state.zoneId });
  },
});

async function change(
  { aws }: Pick<AwsContext, "aws">,
  inputs: Plain<aws.route53.RecordState> | Args,
  Action: "CREATE" | "UPSERT" | "DELETE",
): Promise<void> {
  const dns = await aws.route53();
  const { HostedZone } = await dns.getHostedZone({ Id: inputs.zoneId });
  const alias = inputs.aliases?.[0];
  const ResourceRecordSet: ResourceRecordSet = {
    Name: fullName(inputs.name, withoutDot(HostedZone?.Name)),
    Type: literal(String(inputs.type)),
    ...(alias === undefined
      ? {}
      : {
          AliasTarget: {
            DNSName: alias.name,
            EvaluateTargetHealth: alias.evaluateTargetHealth,
            HostedZoneId: alias.zoneId,
          },
        }),
    HealthCheckId: filled(inputs.healthCheckId),
    MultiValueAnswer: inputs.multivalueAnswerRoutingPolicy === true ? true : undefined,
    ...((inputs.records ?? []).length === 0
      ? {}
      : {
          ResourceRecords: inputs.records?.map((Value) => ({
            Value: inputs.type === "TXT" ? `"${Value}"` : Value,
          })),
          TTL: inputs.ttl,
        }),
    SetIdentifier: filled(inputs.setIdentifier),
    Weight: inputs.weightedRoutingPolicies?.[0]?.weight,
  };
  await dns.changeResourceRecordSets({
    HostedZoneId: inputs.zoneId,
    ChangeBatch: { Changes: [{ Action, ResourceRecordSet }] },
  });
}

function fullName(name: string | undefined, zoneName: string): string {
  const own = withoutDot(name ?? "");
  if (own === "" || own === zoneName) return zoneName;
  return own.endsWith(`.${zoneName}`) ? own : `${own}.${zoneName}`;
}

/** Route 53 writes a star as an octal escape. */
function unescaped(name: string | undefined): string {
  return (name ?? "").replaceAll("\\052", "*");
}
