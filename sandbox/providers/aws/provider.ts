import { createHash } from "node:crypto";
import { Clients, operation } from "./clients";
import type { CheckRequest, Checked } from "./engine/check";
import { checkInputs } from "./engine/check";
import type { Context } from "./engine/context";
import { partitionOf } from "./engine/context";
import type { AnyChange, Lookup, Resource } from "./engine/declaration";
import type { Difference, DiffRequest } from "./engine/difference";
import { difference } from "./engine/difference";
import { isAbsent, NotInSandbox, wasAnswered } from "./engine/errors";
import { inputsAfterRead, inputsForImport, stateAfterRead } from "./engine/inputs";
import type { Creation, Journal } from "./engine/journal";
import { typeInUrn } from "./engine/naming";
import { mergedTags, splitTags, tagChanges, tagsOf } from "./engine/tags";
import type { Bag } from "./engine/value";
import { canonical, definedBag, isBag, without } from "./engine/value";
import { Patience } from "./engine/wait";
import { previewed } from "./previewed";
import { lookups, resources } from "./registry";
import type { Settings } from "./settings";

/** The longest that an operation takes when the program sets no customTimeouts. */
const PATIENCE = 15 * 60_000;

/** A resource as it is now, and the inputs that would make it so. */
export interface Found {
  readonly id: string;
  readonly state: Bag;
  readonly inputs: Bag;
}

/** A resource exists but is not what it should be: the engine keeps it and tries an update next time. */
export class Unfinished extends Error {
  constructor(
    readonly id: string,
    readonly state: Bag,
    readonly inputs: Bag,
    cause: unknown,
  ) {
    super(cause instanceof Error || isBag(cause) ? String(Reflect.get(cause, "message")) : String(cause), {
      cause,
    });
  }
}

/** The provider, without the protocol: each method is one request of the engine. */
export class AwsProvider {
  private readonly clients = new Map<string, Clients>();
  private account: Promise<string> | undefined;
  private readonly cancellation = new AbortController();
  private readonly creating = new Set<Promise<string>>();

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
  ) {}

  /** Checks inputs and fills in defaults. */
  check(request: CheckRequest): Checked {
    const resource = this.resource(request.urn);
    const property = resource.name?.property;
    const pending = property === undefined ? undefined : this.journal.pendingName(request.urn);
    if (property === undefined || pending === undefined || Object.keys(request.olds).length > 0)
      return checkInputs(resource, request);
    // A creation was cut short: what it made, if it made anything, has this name.
    return checkInputs(resource, { ...request, olds: { [property]: pending, __defaults: [property] } });
  }

  /** Compares inputs with the state. */
  diff(urn: string, request: DiffRequest): Difference {
    return difference(this.resource(urn), request, {
      region: this.settings.region ?? "",
      tags: this.settings.tags,
    });
  }

  /** Makes a resource, or goes on with one whose creation was interrupted. */
  async create(urn: string, inputs: Bag, timeout = 0): Promise<{ id: string; state: Bag }> {
    const resource = this.resource(urn);
    const digest = createHash("sha256").update(canonical(inputs)).digest("hex");
    const name = resource.name === undefined ? undefined : inputs[resource.name.property];
    const { creation, interrupted } = this.journal.begin(
      urn,
      digest,
      typeof name === "string" ? name : undefined,
    );
    if (interrupted && creation.id !== undefined) {
      const resumed = await this.resume(urn, resource, creation, creation.id, inputs, digest, timeout);
      if (resumed !== undefined) return resumed;
      return this.create(urn, inputs, timeout);
    }
    let id: string | undefined;
    const note = (started: string): string => {
      id = started;
      this.journal.started(urn, creation, started);
      return started;
    };
    return this.run(inputs, timeout, creation.token, note, async (context) => {
      try {
        const all = this.withAllTags(resource, inputs);
        const made = note(await this.tracked(resource.create(context, all)));
        await resource.settle?.(context, made, all);
        return { id: made, state: await this.awaitState(resource, context, made, inputs) };
      } catch (error) {
        // Without an answer nobody knows whether it was made; the next attempt asks with the same token.
        if (id === undefined && wasAnswered(error)) this.journal.discard(urn);
        else if (id === undefined) this.journal.keepNote(urn);
        if (id === undefined) throw error;
        throw new Unfinished(
          id,
          definedBag({ ...inputs, region: this.regionFor(resource, inputs) }),
          inputs,
          error,
        );
      } finally {
        this.journal.answered(urn);
      }
    });
  }

  /** Reads a resource: for a refresh with its inputs, for an import without. */
  async read(urn: string, id: string, known: Bag, inputs: Bag | undefined): Promise<Found | undefined> {
    const resource = this.resource(urn);
    return this.run(known, 0, "", undefined, async (context) => {
      const imported = Object.keys(known).length === 0 ? resource.fromImport?.(id) : undefined;
      const own = imported?.id ?? id;
      const state = await this.state(resource, context, own, imported?.known ?? known);
      if (state === undefined) return undefined;
      return {
        id: own,
        state,
        inputs:
          inputs === undefined ? inputsForImport(resource, state) : inputsAfterRead(resource, state, inputs),
      };
    });
  }

  /** Changes a resource in place, or finishes one whose creation failed half-way. */
  async update(urn: string, id: string, request: DiffRequest, timeout = 0): Promise<Bag> {
    const resource = this.resource(urn);
    const { news } = request;
    const token = createHash("sha256").update(canonical(news)).digest("hex").slice(0, 32);
    return this.run({ region: request.olds.region, ...news }, timeout, token, undefined, async (context) => {
      try {
        const before = await this.knownDifference(urn, resource, context, id, request);
        const others = before.changed.filter(
          (name) => resource.tagging === undefined || (name !== "tags" && name !== "tagsAll"),
        );
        const change: AnyChange = {
          olds: before.olds,
          has: (...names) => names.some((name) => others.includes(name)),
        };
        if (others.length > 0) await resource.update?.(context, id, news, change);
        await this.updateTags(resource, context, id, before.olds, news);
        return await this.awaitState(resource, context, id, news);
      } catch (error) {
        throw new Unfinished(id, request.olds, news, error);
      }
    });
  }

  /** Takes a resource away. That it is gone already is as good. */
  async delete(urn: string, id: string, state: Bag, timeout = 0): Promise<void> {
    const resource = this.resource(urn);
    await this.run(state, timeout, "", undefined, async (context) => {
      try {
        await resource.delete(context, id, state);
      } catch (error) {
        // What is missing may be something else that the delete touches.
        if (!isAbsent(error) || (await this.state(resource, context, id, state)) !== undefined) throw error;
      }
    });
    this.journal.discard(urn);
  }

  /** Answers a function. */
  async invoke(token: string, args: Bag): Promise<Bag> {
    const found: (Lookup & { args: readonly string[] }) | undefined = lookups.get(token);
    if (found === undefined) throw new NotInSandbox(`The function ${token}`);
    const rest = without(args, "region");
    const strange = Object.keys(rest).find((name) => !found.args.includes(name));
    if (strange !== undefined) throw new NotInSandbox(`The argument ${strange} of ${token}`);
    return this.run(args, 0, "", undefined, async (context) => definedBag(await found.invoke(context, args)));
  }

  /** The account, asked for at once when the settings say that only some are allowed. */
  async checkAccount(): Promise<void> {
    const { allowedAccountIds, forbiddenAccountIds } = this.settings;
    if (allowedAccountIds.length === 0 && forbiddenAccountIds.length === 0) return;
    const account = await this.run({}, 60_000 / 1_000, "", undefined, (context) => context.account());
    if (
      forbiddenAccountIds.includes(account) ||
      (allowedAccountIds.length > 0 && !allowedAccountIds.includes(account))
    ) {
      throw new Error(
        `The credentials belong to account ${account}, which allowedAccountIds or forbiddenAccountIds of the provider do not allow.`,
      );
    }
  }

  /** Waits until AWS has answered every creation that was asked of it, and its id is noted. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.creating]);
  }

  /** Ends all waiting: what was begun is told to the engine as unfinished, with its id. */
  cancel(): void {
    this.cancellation.abort(new Error("The operation was cancelled."));
  }

  /** Ends connections and forgets what the engine has been told. */
  async close(): Promise<void> {
    this.journal.close();
    for (const clients of this.clients.values()) await clients.close();
  }

  private async tracked(creation: Promise<string>): Promise<string> {
    this.creating.add(creation);
    try {
      return await creation;
    } finally {
      this.creating.delete(creation);
    }
  }

  private resource(urn: string): Resource {
    const token = typeInUrn(urn);
    const found = resources.get(token) ?? previewed.get(token);
    if (found === undefined) throw new NotInSandbox(`The resource type ${token}`);
    return found;
  }

  /** Goes on with what an interrupted creation left; undefined when nothing usable is there and a new one has to be made. */
  private async resume(
    urn: string,
    resource: Resource,
    creation: Creation,
    id: string,
    inputs: Bag,
    digest: string,
    timeout: number,
  ): Promise<{ id: string; state: Bag } | undefined> {
    const found = await this.read(urn, id, inputs, inputs);
    if (found !== undefined && creation.inputs === digest) {
      const request = { olds: inputs, oldInputs: inputs, news: inputs, ignore: [] };
      const state = await this.update(urn, id, request, timeout);
      this.journal.answered(urn);
      return { id, state };
    }
    // The program asks for something else by now. Nobody else knows of the half-made one, so it goes.
    if (found !== undefined) await this.delete(urn, id, found.state, timeout);
    this.journal.discard(urn);
    return undefined;
  }

  /**
   * What has to change. The engine also asks for an update when a creation failed half-way; the state then says what
   * should be, so AWS is asked what is.
   */
  private async knownDifference(
    urn: string,
    resource: Resource,
    context: Context,
    id: string,
    request: DiffRequest,
  ) {
    const { changed } = this.diff(urn, request);
    if (changed.length > 0) return { changed, olds: request.olds };
    await resource.settle?.(context, id, this.withAllTags(resource, request.news));
    const olds = await this.awaitState(resource, context, id, request.news);
    return { changed: this.diff(urn, { ...request, olds }).changed, olds };
  }

  private async updateTags(
    resource: Resource,
    context: Context,
    id: string,
    olds: Bag,
    news: Bag,
  ): Promise<void> {
    if (resource.tagging === undefined) return;
    const { set, remove } = tagChanges(tagsOf(olds.tagsAll), mergedTags(this.settings.tags, news.tags));
    if (remove.length > 0) await resource.tagging.remove(context, id, olds, remove);
    if (Object.keys(set).length > 0) await resource.tagging.set(context, id, olds, set);
  }

  private withAllTags(resource: Resource, inputs: Bag): Bag {
    return resource.tagging === undefined
      ? inputs
      : { ...inputs, tags: mergedTags(this.settings.tags, inputs.tags) };
  }

  /** The state of what must exist: AWS may need a moment until everybody sees it. */
  private async awaitState(resource: Resource, context: Context, id: string, known: Bag): Promise<Bag> {
    return context.patience.until(`${resource.token} ${id} can be read`, () =>
      this.state(resource, context, id, known),
    );
  }

  private async state(resource: Resource, context: Context, id: string, told: Bag): Promise<Bag | undefined> {
    const known = without(told, "__defaults");
    const found = await resource.read(context, id, known).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const region = resource.global === true ? {} : { region: context.region };
    const tags = resource.tagging === undefined ? {} : splitTags(this.settings.tags, found.tags, known.tags);
    return definedBag(stateAfterRead(resource, { ...found, id, ...region, ...tags }, known));
  }

  private regionFor(resource: Resource, bag: Bag): string | undefined {
    return resource.global === true ? undefined : this.region(bag);
  }

  private region(bag: Bag): string {
    const region = typeof bag.region === "string" ? bag.region : this.settings.region;
    if (region === undefined) {
      throw new Error(
        "The aws provider has no region. Set it: pulumi config set aws:region <region>, or AWS_REGION.",
      );
    }
    return region;
  }

  private run<T>(
    bag: Bag,
    timeout: number,
    token: string,
    started: ((id: string) => string) | undefined,
    work: (context: Context) => Promise<T>,
  ): Promise<T> {
    const region = this.region(bag);
    const patience = new Patience(timeout > 0 ? timeout * 1_000 : PATIENCE, this.cancellation.signal);
    const aws = this.clientsFor(region);
    const account = (): Promise<string> => (this.account ??= accountOf(aws, this.settings));
    const context = {
      region,
      partition: partitionOf(region),
      account,
      aws,
      patience,
      token,
      started: started ?? ((id: string) => id),
    };
    return operation.run({ patience, ...(started === undefined ? {} : { creation: token }) }, () =>
      work(context),
    );
  }

  private clientsFor(region: string): Clients {
    const found = this.clients.get(region) ?? new Clients(this.settings, region);
    this.clients.set(region, found);
    return found;
  }
}

async function accountOf(aws: Clients, settings: Settings): Promise<string> {
  if (settings.skipRequestingAccountId) {
    // The official provider leaves the account empty then; ARNs that AWS gives itself have it all the same.
    return (await (await aws.sts()).getCallerIdentity({}).catch(() => ({ Account: "" }))).Account ?? "";
  }
  return (await (await aws.sts()).getCallerIdentity({})).Account ?? "";
}
