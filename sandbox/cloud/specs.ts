import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { BalancerState, InstanceState, TargetGroupState } from "../aws";
import type { HealthCheck, LoadBalancerSpec, MachineRole, MachineSpec } from "../machines";

/** Whose cloud it is. */
export interface CloudScope {
  region: string;
  account: string;
}

/** Load balancers check their targets this many times as often as configured, so that nobody waits for them here. */
export const HEALTH_CHECK_SPEEDUP = 10;

const CREDENTIALS_LAST_MS = 6 * 3600_000;
/** AWS hands out new credentials at least five minutes before the old ones end. */
const CREDENTIALS_RENEWED_MS = 3600_000;

/** The machine that an instance becomes. */
export function machineSpecOf(instance: InstanceState, scope: CloudScope, now: number): MachineSpec {
  const { publicKey, userData, metadata, targetLifecycleState: target } = instance;
  const role = roleOf(instance, now);
  return {
    id: instance.id,
    privateIp: instance.privateIp,
    subnetCidr: instance.subnetCidr,
    zone: instance.zone,
    hostname: `ip-${instance.privateIp.replaceAll(".", "-")}`,
    imageId: instance.imageId,
    instanceType: instance.type,
    region: scope.region,
    accountId: scope.account,
    authorizedKeys: publicKey === undefined ? [] : [publicKey.trim()],
    ...(userData === undefined || userData === ""
      ? {}
      : { userData: Buffer.from(userData, "base64").toString() }),
    tags: instance.tags,
    metadata: {
      enabled: metadata.httpEndpoint !== "disabled",
      tokensRequired: metadata.httpTokens === "required",
      hopLimit: metadata.hopLimit,
      tagsEnabled: metadata.instanceTags,
    },
    ...(role === undefined ? {} : { role }),
    ...(target === undefined ? {} : { moreMetadata: { "autoscaling/target-lifecycle-state": target } }),
  };
}

/** What changed of a machine that runs on; nothing else of it can change. */
export function machineChanges(
  known: MachineSpec,
  wanted: MachineSpec,
  now: number,
): Partial<MachineSpec> | undefined {
  const changes: Partial<MachineSpec> = {};
  if (!isDeepStrictEqual(known.tags, wanted.tags)) changes.tags = wanted.tags;
  if (!isDeepStrictEqual(known.metadata, wanted.metadata)) changes.metadata = wanted.metadata;
  if (!isDeepStrictEqual(known.moreMetadata, wanted.moreMetadata)) changes.moreMetadata = wanted.moreMetadata;
  const ends = Date.parse(known.role?.credentials.expiration ?? "");
  const stale = known.role?.name !== wanted.role?.name || ends - now < CREDENTIALS_RENEWED_MS;
  if (wanted.role !== undefined && stale) changes.role = wanted.role;
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** The listeners and targets of a network load balancer. */
export function balancerSpecOf(balancer: BalancerState): LoadBalancerSpec {
  const groups = new Map(balancer.targetGroups.map((group) => [group.arn, group]));
  return {
    id: balancer.arn,
    name: balancer.dnsName,
    addresses: balancer.addresses.map(({ ip, subnetCidr, publicIp }) => ({
      ...{ ip, subnetCidr },
      ...(publicIp === undefined ? {} : { publicIp }),
    })),
    listeners: balancer.listeners.flatMap(({ port, targetGroupArns }) => {
      const group = groups.get(targetGroupArns[0] ?? "");
      if (group === undefined) return [];
      const targets = group.targets.map(({ id, port: targetPort }) =>
        group.targetType === "ip" ? { ip: id, port: targetPort } : { machineId: id, port: targetPort },
      );
      return [{ port, healthCheck: healthCheckOf(group), targets }];
    }),
  };
}

function healthCheckOf({ healthCheck }: TargetGroupState): HealthCheck {
  const protocol = healthCheck.protocol.toLowerCase();
  const intervalMs = (healthCheck.intervalSeconds * 1000) / HEALTH_CHECK_SPEEDUP;
  return {
    protocol: protocol === "http" || protocol === "https" ? protocol : "tcp",
    ...(healthCheck.path === undefined ? {} : { path: healthCheck.path }),
    ...(/^\d+$/.test(healthCheck.port) ? { port: Number(healthCheck.port) } : {}),
    intervalMs,
    timeoutMs: Math.min(healthCheck.timeoutSeconds * 1000, 10_000),
    healthyThreshold: healthCheck.healthyThreshold,
    unhealthyThreshold: healthCheck.unhealthyThreshold,
  };
}

// The sandbox's AWS takes any key, so these open nothing; they differ by instance, as they would.
function roleOf(instance: InstanceState, now: number): MachineRole | undefined {
  const { roleName, instanceProfileArn } = instance;
  if (roleName === undefined || instanceProfileArn === undefined) return undefined;
  const text = (salt: string): string => createHash("sha256").update(`${salt} ${instance.id}`).digest("hex");
  return {
    name: roleName,
    profileArn: instanceProfileArn,
    credentials: {
      accessKeyId: `ASIA${text("key").slice(0, 16).toUpperCase()}`,
      secretAccessKey: text("secret").slice(0, 40),
      sessionToken: text("session"),
      expiration: new Date(now + CREDENTIALS_LAST_MS).toISOString(),
    },
  };
}
