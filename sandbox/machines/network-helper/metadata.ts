import { partitionOf } from "../../aws/partition";
import { macOf } from "../addresses";
import type { MachineSpec } from "../spec";

/** What the metadata service answers for one path: a value, or the names below it. */
export type MetadataAnswer = { kind: "text"; text: string } | { kind: "none" };

interface Folder {
  [name: string]: string | Folder;
}

/** Everything that a machine can read about itself, as a tree of folders and values. */
export function metadataTree(spec: MachineSpec): Folder {
  const mac = macOf(spec.privateIp);
  const partition = partitionOf(spec.region);
  const host = spec.hostname.includes(".")
    ? spec.hostname
    : `${spec.hostname}.${spec.region}.compute.internal`;
  const meta: Folder = {
    "ami-id": spec.imageId,
    "ami-launch-index": "0",
    hostname: host,
    "instance-action": "none",
    "instance-id": spec.id,
    "instance-life-cycle": "on-demand",
    "instance-type": spec.instanceType,
    "local-hostname": host,
    "local-ipv4": spec.privateIp,
    mac,
    network: {
      interfaces: {
        macs: {
          [mac]: {
            "device-number": "0",
            "local-hostname": host,
            "local-ipv4s": spec.privateIp,
            mac,
            "owner-id": spec.accountId,
            "subnet-ipv4-cidr-block": spec.subnetCidr,
          },
        },
      },
    },
    placement: { "availability-zone": spec.zone, region: spec.region },
    "reservation-id": spec.id.replace(/^i-/, "r-"),
    services: {
      domain: partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com",
      partition,
    },
    ...(spec.authorizedKeys.length === 0 ? {} : { "public-keys": publicKeys(spec.authorizedKeys) }),
    ...(spec.role === undefined ? {} : { iam: iam(spec.role) }),
    ...(spec.metadata.tagsEnabled ? { tags: { instance: { ...spec.tags } } } : {}),
  };
  for (const [target, value] of Object.entries(spec.moreMetadata ?? {})) put(meta, target.split("/"), value);
  return {
    dynamic: { "instance-identity": { document: identityDocument(spec) } },
    "meta-data": meta,
    ...(spec.userData === undefined ? {} : { "user-data": spec.userData }),
  };
}

/** Answers a path below the version, such as `meta-data/placement/`. */
export function answerMetadata(spec: MachineSpec, path: string): MetadataAnswer {
  const parts = path.split("/").filter((part) => part !== "");
  let here: string | Folder | undefined = metadataTree(spec);
  for (const [depth, part] of parts.entries()) {
    if (typeof here === "string") return { kind: "none" };
    // Keys are listed as "0=name" and requested by their number alone.
    const name: string = parts[depth - 1] === "public-keys" ? (findKey(here, part) ?? part) : part;
    if (!Object.hasOwn(here, name)) return { kind: "none" };
    here = here[name];
    if (here === undefined) return { kind: "none" };
  }
  if (typeof here === "string") return { kind: "text", text: here };
  const names = Object.entries(here).map(([name, value]) =>
    typeof value === "string" || parts.at(-1) === "public-keys" ? name : `${name}/`,
  );
  return { kind: "text", text: names.sort().join("\n") };
}

function publicKeys(keys: readonly string[]): Folder {
  return Object.fromEntries(
    keys.map((key, index) => [
      `${index}=${key.split(" ")[2] ?? `key-${index}`}`,
      { "openssh-key": `${key.trim()}\n` },
    ]),
  );
}

function findKey(folder: Folder, number: string): string | undefined {
  return Object.keys(folder).find((name) => name.startsWith(`${number}=`));
}

function iam(role: NonNullable<MachineSpec["role"]>): Folder {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = role.credentials;
  const updated = new Date(Date.parse(expiration) - 6 * 3600_000).toISOString();
  const credentials = {
    Code: "Success",
    LastUpdated: updated,
    Type: "AWS-HMAC",
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: expiration,
  };
  const info = { Code: "Success", LastUpdated: updated, InstanceProfileArn: role.profileArn ?? "" };
  return {
    info: JSON.stringify(info, undefined, 2),
    "security-credentials": { [role.name]: JSON.stringify(credentials, undefined, 2) },
  };
}

function identityDocument(spec: MachineSpec): string {
  const document = {
    accountId: spec.accountId,
    architecture: process.arch === "arm64" ? "arm64" : "x86_64",
    availabilityZone: spec.zone,
    imageId: spec.imageId,
    instanceId: spec.id,
    instanceType: spec.instanceType,
    privateIp: spec.privateIp,
    region: spec.region,
    version: "2017-09-30",
  };
  return JSON.stringify(document, undefined, 2);
}

function put(folder: Folder, [name = "", ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    folder[name] = value;
    return;
  }
  const below = folder[name];
  const next: Folder = typeof below === "object" ? below : {};
  folder[name] = next;
  put(next, rest, value);
}
