import type { ChangeRequest } from "../shell/resource";
import type { AwsContext } from "./core/context";
import type { AwsResource } from "./core/declaration";
import { difference, type Difference } from "./core/difference";
import { isAbsent } from "./core/errors";
import { stateAfterRead } from "./core/inputs";
import { mergedTags, splitTags, tagChanges, tagsOf } from "./core/tags";
import { definedValues, type Values, without } from "./core/value";
import type { Settings } from "./settings";

/** How one resource type's state is read, compared and tagged under the provider's settings. */
export class ResourceState {
  constructor(
    private readonly resource: AwsResource,
    private readonly settings: Settings,
  ) {}

  /** Compares inputs with the state. */
  diff(request: ChangeRequest): Difference {
    const { region = "", tags } = this.settings;
    return difference(this.resource, request, { region, tags });
  }

  /** The state as AWS has it now; undefined where the resource is gone. */
  async read(context: AwsContext, id: string, recorded: Values): Promise<Values | undefined> {
    const { resource, settings } = this;
    const known = without(recorded, "__defaults");
    const found = await resource.read(context, id, known).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const region = resource.global === true ? {} : { region: context.region };
    const tags = resource.tagging === undefined ? {} : splitTags(settings.tags, found.tags, known.tags);
    return definedValues(stateAfterRead(resource, { ...found, id, ...region, ...tags }, known));
  }

  /** The state of what must exist: AWS may take some time until everybody sees it. */
  awaitRead(context: AwsContext, id: string, recorded: Values): Promise<Values> {
    return context.deadline.until(`${this.resource.token} ${id} can be read`, () =>
      this.read(context, id, recorded),
    );
  }

  /**
   * What has to change. The engine also asks for an update when a creation failed half-way; the state then says what
   * should be, so AWS is asked what is.
   */
  async knownDifference(
    context: AwsContext,
    id: string,
    request: ChangeRequest,
  ): Promise<{ changed: readonly string[]; olds: Values }> {
    const { changed } = this.diff(request);
    if (changed.length > 0) return { changed, olds: request.olds };
    await this.resource.settle?.(context, id, this.withAllTags(request.news));
    const olds = await this.awaitRead(context, id, request.news);
    return { changed: this.diff({ ...request, olds }).changed, olds };
  }

  /** Changes the tags that differ. */
  async updateTags(context: AwsContext, id: string, olds: Values, news: Values): Promise<void> {
    const { tagging } = this.resource;
    if (tagging === undefined) return;
    const { set, remove } = tagChanges(tagsOf(olds.tagsAll), mergedTags(this.settings.tags, news.tags));
    if (remove.length > 0) await tagging.remove(context, id, olds, remove);
    if (Object.keys(set).length > 0) await tagging.set(context, id, olds, set);
  }

  /** Inputs with the provider's default tags under the resource's own. */
  withAllTags(inputs: Values): Values {
    return this.resource.tagging === undefined
      ? inputs
      : { ...inputs, tags: mergedTags(this.settings.tags, inputs.tags) };
  }
}
