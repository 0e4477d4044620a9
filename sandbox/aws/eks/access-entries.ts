import { randomUUID } from "node:crypto";
import { textAt } from "../../../lib/json";
import { reply, type Refusal } from "../answer";
import { text } from "../call";
import { ACCOUNT } from "../clients";
import { partitionOf } from "../partition";
import type { Addition } from "../rule";
import { arnOf, clusterAddition, inUse, notFound, type ClusterCall, type Handler } from "./handlers";
import type { ClusterRecord, EksStore, Fields } from "./store";

/** Who may use a cluster's API, and with which policies. */
export function accessEntries(store: EksStore): Addition {
  return clusterAddition(
    "access entries",
    store,
    Object.fromEntries(Object.entries(handlers).map(([action, handler]) => [action, guarded(handler)])),
  );
}

/** Makes an entry; EKS itself makes those of the cluster's creator and of its nodes. */
export function addEntry(
  record: ClusterRecord,
  entry: { region: string; clusterName: string; principalArn: string; now: number } & Fields,
): Fields {
  const { region, clusterName, principalArn, now, ...rest } = entry;
  const [kind = "role", name = ""] = principalArn.split(":").at(-1)?.split("/") ?? [];
  const made: Fields = {
    clusterName,
    principalArn,
    kubernetesGroups: [],
    accessEntryArn: arnOf(region, ACCOUNT, "access-entry", clusterName, kind, ACCOUNT, name, randomUUID()),
    createdAt: now,
    modifiedAt: now,
    tags: {},
    type: "STANDARD",
    ...rest,
  };
  made.username ??= made.type === "EC2_LINUX" ? "system:node:{{EC2PrivateDNSName}}" : principalArn;
  record.accessEntries[principalArn] = made;
  return made;
}

const handlers: Readonly<Record<string, Handler>> = {
  CreateAccessEntry({ call, record, clusterName, context, now }) {
    const principalArn = text(call, "principalArn") ?? "";
    if (record.accessEntries[principalArn] !== undefined) {
      return inUse("The specified access entry resource is already in use on this cluster.");
    }
    const given = pick(call.parameters, ["kubernetesGroups", "username", "type", "tags"]);
    const entry = addEntry(record, { region: context.region, clusterName, principalArn, now, ...given });
    return reply({ accessEntry: entry });
  },
  DescribeAccessEntry: withEntry((_request, entry) => reply({ accessEntry: entry })),
  ListAccessEntries: ({ record }) => reply({ accessEntries: Object.keys(record.accessEntries) }),
  UpdateAccessEntry: withEntry(({ call, now }, entry) => {
    Object.assign(entry, pick(call.parameters, ["kubernetesGroups", "username"]), { modifiedAt: now });
    return reply({ accessEntry: entry });
  }),
  DeleteAccessEntry: withEntry(({ record }, { principalArn }) => {
    Reflect.deleteProperty(record.accessEntries, String(principalArn));
    Reflect.deleteProperty(record.accessPolicies, String(principalArn));
    return reply({});
  }),
  AssociateAccessPolicy: withEntry(({ call, record, clusterName, now, context }, entry) => {
    const principalArn = String(entry.principalArn);
    const policyArn = text(call, "policyArn") ?? "";
    const start = `arn:${partitionOf(context.region)}:eks::aws:cluster-access-policy/`;
    if (!policyArn.startsWith(start) || !/^Amazon\w+$/.test(policyArn.slice(start.length))) {
      return {
        code: "InvalidParameterException",
        message: `The policyArn parameter format is not valid: ${policyArn}`,
      };
    }
    const associatedAccessPolicy = {
      policyArn,
      accessScope: call.parameters.accessScope,
      associatedAt: now,
      modifiedAt: now,
    };
    (record.accessPolicies[principalArn] ??= {})[policyArn] = associatedAccessPolicy;
    return reply({ clusterName, principalArn, associatedAccessPolicy });
  }),
  ListAssociatedAccessPolicies: withEntry(({ record, clusterName }, { principalArn }) =>
    reply({
      clusterName,
      principalArn,
      associatedAccessPolicies: Object.values(record.accessPolicies[String(principalArn)] ?? {}),
    }),
  ),
  DisassociateAccessPolicy: withEntry(({ call, record }, { principalArn }) => {
    const policies = record.accessPolicies[String(principalArn)] ?? {};
    const policyArn = text(call, "policyArn") ?? "";
    if (policies[policyArn] === undefined) {
      return notFound(`The policy ${policyArn} is not associated with the access entry.`);
    }
    Reflect.deleteProperty(policies, policyArn);
    return reply({});
  }),
};

function withEntry(work: (request: ClusterCall, entry: Fields) => ReturnType<Handler>): Handler {
  return (request) => {
    const entry = request.record.accessEntries[text(request.call, "principalArn") ?? ""];
    return entry === undefined
      ? notFound(
          "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
        )
      : work(request, entry);
  };
}

// A cluster that trusts its ConfigMap only has no access entries at all.
function guarded(handler: Handler): Handler {
  return (request) => modeRefusal(request) ?? handler(request);
}

function modeRefusal({ record }: ClusterCall): Refusal | undefined {
  return textAt(record.settings, "accessConfig", "authenticationMode") === "CONFIG_MAP"
    ? {
        code: "InvalidRequestException",
        message:
          "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
      }
    : undefined;
}

function pick(parameters: Readonly<Fields>, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => name in parameters).map((name) => [name, parameters[name]]),
  );
}
