import type { ProviderArgs } from "@pulumi/aws";
import { NotInSandbox } from "./engine/errors";
import type { TagSettings } from "./engine/tags";
import { tagsOf } from "./engine/tags";
import type { Bag } from "./engine/value";
import { isBag, isList } from "./engine/value";

/** The settings of the provider, read. */
export interface Settings {
  readonly region: string | undefined;
  readonly credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  /** The address of each service that has one of its own, by the name that the official provider uses. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly s3UsePathStyle: boolean;
  readonly skipCredentialsValidation: boolean;
  readonly skipRequestingAccountId: boolean;
  readonly insecure: boolean;
  readonly maxRetries: number;
  readonly allowedAccountIds: readonly string[];
  readonly forbiddenAccountIds: readonly string[];
  readonly tags: TagSettings;
}

/** The settings that this provider reads, or that change nothing for it. The others are refused by name. */
const KNOWN = [
  "accessKey",
  "allowedAccountIds",
  "defaultTags",
  "endpoints",
  "forbiddenAccountIds",
  "ignoreTags",
  "insecure",
  "maxRetries",
  "profile",
  "region",
  "retryMode",
  "s3UsePathStyle",
  "secretKey",
  "skipCredentialsValidation",
  "skipMetadataApiCheck",
  "skipRegionValidation",
  "skipRequestingAccountId",
  "stsRegion",
  "token",
] satisfies (keyof ProviderArgs)[];

/** Refuses settings that this provider does not know: ignoring one could let it act on the wrong account. */
export function checkSettings(config: Bag): { property: string; reason: string }[] {
  return Object.keys(config)
    .filter((name) => name !== "version" && name !== "pluginDownloadURL" && !name.startsWith("__"))
    .filter((name) => !KNOWN.some((known: string) => known === name))
    .map((property) => ({ property, reason: new NotInSandbox(`The provider setting ${property}`).message }));
}

/** Reads the settings. Values come as they are or, from a stack's config, as text with JSON in it. */
export function readSettings(config: Bag, environment: NodeJS.ProcessEnv): Settings {
  const text = (name: keyof ProviderArgs): string | undefined => {
    const value = config[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const truth = (name: keyof ProviderArgs): boolean => ["true", true].some((yes) => config[name] === yes);
  const accessKeyId = text("accessKey");
  const secretAccessKey = text("secretKey");
  const token = text("token");
  const defaultTags = decoded(config.defaultTags);
  const ignoreTags = decoded(config.ignoreTags);
  return {
    region: text("region") ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey, ...(token === undefined ? {} : { sessionToken: token }) },
    endpoints: endpointsIn(decoded(config.endpoints)),
    s3UsePathStyle: truth("s3UsePathStyle"),
    skipCredentialsValidation: truth("skipCredentialsValidation"),
    skipRequestingAccountId: truth("skipRequestingAccountId"),
    insecure: truth("insecure"),
    maxRetries: Number(config.maxRetries ?? 25),
    allowedAccountIds: texts(decoded(config.allowedAccountIds)),
    forbiddenAccountIds: texts(decoded(config.forbiddenAccountIds)),
    tags: {
      defaults: tagsOf(isBag(defaultTags) ? defaultTags.tags : undefined),
      ignoredKeys: texts(isBag(ignoreTags) ? ignoreTags.keys : undefined),
      ignoredPrefixes: texts(isBag(ignoreTags) ? ignoreTags.keyPrefixes : undefined),
    },
  };
}

/** A list or object, which may have come as a text with JSON in it. */
function decoded(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function endpointsIn(value: unknown): Record<string, string> {
  const parts = isList(value) ? value.filter(isBag) : isBag(value) ? [value] : [];
  const entries = parts.flatMap((part) => Object.entries(part));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );
}

function texts(value: unknown): string[] {
  return isList(value) ? value.map(String) : [];
}
