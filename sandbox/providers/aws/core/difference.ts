import type { ChangeRequest } from "../../shell/resource";
import type { AwsResource } from "./declaration";
import { wasDefaulted } from "./check";
import type { Property } from "./property";
import { satisfies } from "./property";
import type { TagSettings } from "./tags";
import { mergedTags, tagsOf } from "./tags";
import type { Values } from "./value";
import { holdsUnknown, prune, unknownsAsText } from "./value";

/** How the inputs differ from the state. */
export interface Difference {
  readonly changed: readonly string[];
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** What of the provider's settings takes part in a difference. */
export interface DiffSettings {
  readonly region: string;
  readonly tags: TagSettings;
}

/** Compares what the program asks for with the state. */
export function difference(
  resource: AwsResource,
  request: ChangeRequest,
  settings: DiffSettings,
): Difference {
  const ignored = new Set(request.ignore.map((path) => /^[^.[]+/.exec(path)?.[0] ?? path));
  const changed = Object.entries(resource.properties)
    .filter(([name]) => !ignored.has(name))
    .filter(([name, property]) => property !== undefined && differs(name, property, request))
    .map(([name]) => name);
  const replaces = changed.filter((name) => resource.properties[name]?.replaces === true);
  for (const name of resource.replacesFor?.(request.olds, unknownsAsText(request.news)) ?? []) {
    if (changed.includes(name) && !replaces.includes(name)) replaces.push(name);
  }
  if (resource.global !== true && !ignored.has("region") && regionDiffers(request, settings.region)) {
    changed.push("region");
    replaces.push("region");
  }
  if (resource.tagging !== undefined && !ignored.has("tags"))
    changed.push(...tagsDiffering(request, settings.tags));
  return {
    changed,
    replaces,
    deleteBeforeReplace: replaces.length > 0 && cannotCoexist(resource, request.news),
  };
}

function differs(name: string, property: Property, { olds, news }: ChangeRequest): boolean {
  const wanted = news[name];
  if (holdsUnknown(wanted)) return true;
  if (wanted === undefined) {
    return (
      property.computed !== true &&
      prune(olds[name]) !== undefined &&
      olds[name] !== false &&
      olds[name] !== 0
    );
  }
  if (!satisfies(property, wanted, olds[name])) return true;
  return property.exact === true && !satisfies(property, olds[name], wanted);
}

function regionDiffers({ olds, news }: ChangeRequest, region: string): boolean {
  const before = olds.region;
  return before !== undefined && (news.region ?? region) !== before;
}

function tagsDiffering({ olds, news }: ChangeRequest, settings: TagSettings): string[] {
  if (holdsUnknown(news.tags)) return ["tags", "tagsAll"];
  const tags: Property = { map: true };
  const own = satisfies(tags, tagsOf(news.tags), tagsOf(olds.tags)) ? [] : ["tags"];
  const all = satisfies(tags, mergedTags(settings, news.tags), tagsOf(olds.tagsAll)) ? [] : ["tagsAll"];
  return [...own, ...all];
}

/** Whether the old one must go first: it has a name of the program's own, which only one of the two can have. */
function cannotCoexist(resource: AwsResource, news: Values): boolean {
  if (resource.deleteBeforeReplace === true) return true;
  const name = resource.name;
  if (name === undefined || news[name.prefixProperty ?? ""] !== undefined) return false;
  return news[name.property] !== undefined && !wasDefaulted(news, name.property);
}
