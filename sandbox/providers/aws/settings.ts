import type { ProviderArgs } from "@pulumi/aws";
import { anything, type Member } from "../shell/kind";
import type { TagSettings } from "./core/tags";
import { tagsOf } from "./core/tags";
import type { Values } from "./core/value";
import { isRecord, isList } from "./core/value";

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

/** The settings by their names. Those that are unknown are refused: ignoring one could let it act on the wrong account. */
export const SETTINGS: Readonly<Record<string, Member<unknown>>> = Object.fromEntries(
  KNOWN.map((name) => [name, { kind: anything }]),
);

/** Reads the settings. Values come as they are or, from a stack's config, as text with JSON in it. */
export function readSettings(config: Values, environment: NodeJS.ProcessEnv): Settings {
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
      defaults: tagsOf(isRecord(defaultTags) ? defaultTags.tags : undefined),
      ignoredKeys: texts(isRecord(ignoreTags) ? ignoreTags.keys : undefined),
      ignoredPrefixes: texts(isRecord(ignoreTags) ? ignoreTags.keyPrefixes : undefined),
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
  const parts = isList(value) ? value.filter(isRecord) : isRecord(value) ? [value] : [];
  const entries = parts.flatMap((part) => Object.entries(part));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );
}

function texts(value: unknown): string[] {
  return isList(value) ? value.map(String) : [];
}
