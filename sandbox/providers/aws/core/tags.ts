import type { Values } from "./value";
import { isRecord } from "./value";

/** Tags by key. */
export type Tags = Readonly<Record<string, string>>;

/** What the provider's settings say about tags. */
export interface TagSettings {
  readonly defaults: Tags;
  readonly ignoredKeys: readonly string[];
  readonly ignoredPrefixes: readonly string[];
}

/** The tags in a value of the property `tags`. */
export function tagsOf(value: unknown): Tags {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

/** All tags that a resource gets: the provider's, and over them its own. */
export function mergedTags(settings: TagSettings, own: unknown): Tags {
  return { ...settings.defaults, ...tagsOf(own) };
}

/** The tags of a resource as the state has them: `tags` without what came from the provider, and `tagsAll`. */
export function splitTags(
  settings: TagSettings,
  found: unknown,
  own: unknown,
): { tags: Tags; tagsAll: Tags } {
  const owned = tagsOf(own);
  const visible = Object.entries(tagsOf(found)).filter(
    ([key]) =>
      !key.startsWith("aws:") &&
      !settings.ignoredKeys.includes(key) &&
      !settings.ignoredPrefixes.some((prefix) => key.startsWith(prefix)),
  );
  const tags = visible.filter(([key, text]) => key in owned || settings.defaults[key] !== text);
  return { tags: Object.fromEntries(tags), tagsAll: Object.fromEntries(visible) };
}

/** What to set and what to remove so that the tags found become the tags wanted. */
export function tagChanges(found: Tags, wanted: Tags): { set: Tags; remove: string[] } {
  const set = Object.entries(wanted).filter(([key, text]) => found[key] !== text);
  return { set: Object.fromEntries(set), remove: Object.keys(found).filter((key) => !(key in wanted)) };
}

/** Tags as most services write them. */
export function tagList(tags: Values | undefined): { Key: string; Value: string }[] {
  return Object.entries(tagsOf(tags)).map(([Key, Value]) => ({ Key, Value }));
}

/** Tags by key, from the list that a service answered with. */
export function fromTagList(
  list: readonly { Key?: string | undefined; Value?: string | undefined }[] | undefined,
): Record<string, string> {
  return Object.fromEntries(
    (list ?? []).flatMap(({ Key, Value }) => (Key === undefined ? [] : [[Key, Value ?? ""]])),
  );
}
