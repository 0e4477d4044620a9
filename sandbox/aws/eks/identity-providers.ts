// The identity provider of a cluster, of which EKS allows one.
import { isObject } from "../../../lib/json";
import { reply, type Refusal } from "../answer";
import { ACCOUNT } from "../clients";
import type { Addition } from "../rule";
import { arnOf, clusterAddition, notFound, type ClusterCall, type Handler } from "./handlers";
import type { EksStore, Fields } from "./store";
import { startUpdate } from "./updates";

/** Identity provider configs: CREATING for a while, then ACTIVE. */
export function identityProviders(store: EksStore, settleMs: () => number): Addition {
  const shown = (config: Fields, now: number): Fields => ({
    oidc: { ...config, status: now - Number(config.createdAt) < settleMs() / 1000 ? "CREATING" : "ACTIVE" },
  });
  return clusterAddition("identity providers", store, {
    AssociateIdentityProviderConfig(request) {
      const { call, record, clusterName, context, now } = request;
      const { oidc = {}, tags = {} } = call.parameters;
      if (!isObject(oidc)) return invalid("oidc must be a structure");
      const refusal = objectionTo({ ...oidc }) ?? tooMany(record.identityProviders);
      if (refusal !== undefined) return refusal;
      const name = String(Reflect.get(oidc, "identityProviderConfigName"));
      record.identityProviders[name] = {
        ...oidc,
        clusterName,
        identityProviderConfigArn: arnOf(
          context.region,
          ACCOUNT,
          "identityproviderconfig",
          clusterName,
          "oidc",
          name,
        ),
        tags,
        createdAt: now,
      };
      return reply({ update: startUpdate(request, "AssociateIdentityProviderConfig", { name }), tags });
    },
    DescribeIdentityProviderConfig: withConfig(({ now }, config) =>
      reply({ identityProviderConfig: shown(config, now) }),
    ),
    ListIdentityProviderConfigs: ({ record }) =>
      reply({
        identityProviderConfigs: Object.keys(record.identityProviders).map((name) => ({
          type: "oidc",
          name,
        })),
      }),
    DisassociateIdentityProviderConfig: withConfig((request, config) => {
      const name = String(config.identityProviderConfigName);
      Reflect.deleteProperty(request.record.identityProviders, name);
      return reply({ update: startUpdate(request, "DisassociateIdentityProviderConfig", { name }) });
    }),
  });
}

function withConfig(work: (request: ClusterCall, config: Fields) => ReturnType<Handler>): Handler {
  return (request) => {
    const { identityProviderConfig } = request.call.parameters;
    const name: unknown = isObject(identityProviderConfig) ? identityProviderConfig.name : undefined;
    const config = request.record.identityProviders[String(name)];
    return config === undefined ? notFound("Identity provider config is not found.") : work(request, config);
  };
}

function objectionTo(oidc: Fields): Refusal | undefined {
  if (!String(oidc.issuerUrl).startsWith("https://")) return invalid("issuerUrl must be a valid https URL.");
  const prefixes = [oidc.usernamePrefix, oidc.groupsPrefix];
  return prefixes.some((prefix) => typeof prefix === "string" && prefix.startsWith("system:"))
    ? invalid("The prefix must not begin with system:.")
    : undefined;
}

function tooMany(configs: Readonly<Record<string, Fields>>): Refusal | undefined {
  return Object.keys(configs).length === 0
    ? undefined
    : {
        code: "ResourceLimitExceededException",
        message: "The cluster has reached its limit of one identity provider config.",
      };
}

function invalid(message: string): Refusal {
  return { code: "InvalidParameterException", message };
}
