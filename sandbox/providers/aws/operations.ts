// Check, diff, create, read, update and delete for every resource type of the provider.
import { createHash } from "node:crypto";
import {
  type ChangeRequest,
  type Checked,
  type CheckRequest,
  type Found,
  UnfinishedResource,
} from "../shell/resource";
import { CONSISTENT_AFTER } from "./clients";
import { checkInputs } from "./core/check";
import type { AwsContext } from "./core/context";
import type { AnyChange, AwsResource } from "./core/declaration";
import type { Difference } from "./core/difference";
import { describeError, isAbsent, NotInSandbox, wasAnswered } from "./core/errors";
import { inputsAfterRead, inputsForImport } from "./core/inputs";
import type { Creation, Journal } from "./core/journal";
import { typeInUrn } from "./core/naming";
import { canonical, definedValues, type Values, without } from "./core/value";
import { lookups, resources } from "./registry";
import { ResourceState } from "./resource-state";
import type { AwsSession, OperationOptions } from "./session";

/**
 * The operations of every resource type and function: what the declarations in `types/` leave open (defaults, names,
 * tags, interrupted creations, what is gone already) is done here, once for all.
 */
export class AwsOperations {
  constructor(
    private readonly session: AwsSession,
    private readonly journal: Journal,
  ) {}

  /** Checks inputs and fills in defaults. */
  check(request: CheckRequest): Checked {
    const resource = resourceIn(request.urn);
    const property = resource.name?.property;
    const pending = property === undefined ? undefined : this.journal.pendingName(request.urn);
    if (property === undefined || pending === undefined || Object.keys(request.olds).length > 0)
      return checkInputs(resource, request);
    // A creation was cut short: what it made, if it made anything, has this name.
    return checkInputs(resource, { ...request, olds: { [property]: pending, __defaults: [property] } });
  }

  /** Compares inputs with the state. */
  diff(urn: string, request: ChangeRequest): Difference {
    return this.stateOf(resourceIn(urn)).diff(request);
  }

  /** Makes a resource, or goes on with one whose creation was interrupted. */
  async create(
    urn: string,
    inputs: Values,
    options: OperationOptions = {},
  ): Promise<{ id: string; state: Values }> {
    const resource = resourceIn(urn);
    const state = this.stateOf(resource);
    const digest = digestOf(inputs);
    const name = resource.name === undefined ? undefined : inputs[resource.name.property];
    const { creation, interrupted } = this.journal.begin(
      urn,
      digest,
      typeof name === "string" ? name : undefined,
    );
    if (interrupted && creation.id !== undefined) {
      const resumed = await this.resume(urn, creation, creation.id, inputs, options);
      return resumed ?? this.create(urn, inputs, options);
    }
    let id: string | undefined;
    const started = (noted: string): string => {
      id = noted;
      this.journal.started(urn, creation, noted);
      return noted;
    };
    const make = async (context: Parameters<AwsResource["create"]>[0]) => {
      try {
        const all = state.withAllTags(inputs);
        const made = started(await resource.create(context, all));
        await oncePresent(context, async () => resource.settle?.(context, made, all));
        return { id: made, state: await state.awaitRead(context, made, inputs) };
      } catch (error) {
        // Without an answer nobody knows whether it was made; the next attempt asks with the same token.
        if (id === undefined && wasAnswered(error)) this.journal.discard(urn);
        else if (id === undefined) this.journal.keepNote(urn);
        if (id === undefined) throw error;
        const region = resource.global === true ? undefined : this.session.region(inputs);
        const half = definedValues({ ...inputs, region });
        throw new UnfinishedResource(id, half, inputs, describeError(error), error);
      } finally {
        this.journal.answered(urn);
      }
    };
    return this.session.run(inputs, options, make, { token: creation.token, started });
  }

  /** Reads a resource: for a refresh with its inputs, for an import without. */
  async read(
    urn: string,
    id: string,
    known: Values,
    inputs: Values | undefined,
    options: OperationOptions = {},
  ): Promise<Found | undefined> {
    const resource = resourceIn(urn);
    return this.session.run(known, options, async (context) => {
      const imported = Object.keys(known).length === 0 ? resource.fromImport?.(id) : undefined;
      const own = imported?.id ?? id;
      const state = await this.stateOf(resource).read(context, own, imported?.known ?? known);
      if (state === undefined) return undefined;
      const found =
        inputs === undefined ? inputsForImport(resource, state) : inputsAfterRead(resource, state, inputs);
      return { id: own, state, inputs: found };
    });
  }

  /** Changes a resource in place, or finishes one whose creation failed half-way. */
  async update(
    urn: string,
    id: string,
    request: ChangeRequest,
    options: OperationOptions = {},
  ): Promise<Values> {
    const resource = resourceIn(urn);
    const state = this.stateOf(resource);
    const { news, olds } = request;
    return this.session.run(
      { region: olds.region, ...news },
      options,
      async (context) => {
        try {
          const before = await state.knownDifference(context, id, request);
          const others = before.changed.filter(
            (name) => resource.tagging === undefined || (name !== "tags" && name !== "tagsAll"),
          );
          const change: AnyChange = {
            olds: before.olds,
            has: (...names) => names.some((name) => others.includes(name)),
          };
          if (others.length > 0) await resource.update?.(context, id, news, change);
          await state.updateTags(context, id, before.olds, news);
          return await state.awaitRead(context, id, news);
        } catch (error) {
          throw new UnfinishedResource(id, olds, news, describeError(error), error);
        }
      },
      undefined,
      digestOf(news).slice(0, 32),
    );
  }

  /** Deletes a resource. That it is gone already is as good. */
  async delete(urn: string, id: string, state: Values, options: OperationOptions = {}): Promise<void> {
    const resource = resourceIn(urn);
    await this.session.run(state, options, async (context) => {
      try {
        await resource.delete(context, id, state);
      } catch (error) {
        // What is missing may be something else that the delete touches.
        if (!isAbsent(error) || (await this.stateOf(resource).read(context, id, state)) !== undefined)
          throw error;
      }
    });
    this.journal.discard(urn);
  }

  /** Answers a function. */
  async invoke(token: string, args: Values, options: OperationOptions = {}): Promise<Values> {
    const found = lookups.get(token);
    if (found === undefined) throw new NotInSandbox(`The function ${token}`);
    const strange = Object.keys(without(args, "region")).find((name) => !found.args.includes(name));
    if (strange !== undefined) throw new NotInSandbox(`The argument ${strange} of ${token}`);
    return this.session.run(args, options, async (context) =>
      definedValues(await found.invoke(context, args)),
    );
  }

  private stateOf(resource: AwsResource): ResourceState {
    return new ResourceState(resource, this.session.settings);
  }

  /** Goes on with what an interrupted creation left; undefined when nothing usable is there and a new one has to be made. */
  private async resume(
    urn: string,
    creation: Creation,
    id: string,
    inputs: Values,
    options: OperationOptions,
  ): Promise<{ id: string; state: Values } | undefined> {
    const found = await this.read(urn, id, inputs, inputs, options);
    if (found !== undefined && creation.inputs === digestOf(inputs)) {
      const request = { olds: inputs, oldInputs: inputs, news: inputs, ignore: [] };
      const state = await this.update(urn, id, request, options);
      this.journal.answered(urn);
      return { id, state };
    }
    // The program asks for something else by now. Nobody else knows of the half-made one, so it goes.
    if (found !== undefined) await this.delete(urn, id, found.state, options);
    this.journal.discard(urn);
    return undefined;
  }
}

function resourceIn(urn: string): AwsResource {
  const token = typeInUrn(urn);
  const found = resources.get(token);
  if (found === undefined) throw new NotInSandbox(`The resource type ${token}`);
  return found;
}

function digestOf(values: Values): string {
  return createHash("sha256").update(canonical(values)).digest("hex");
}

/** Asks again while AWS does not know yet what it has just made. */
async function oncePresent<T>({ deadline }: AwsContext, ask: () => Promise<T>): Promise<T> {
  const consistent = deadline.within(CONSISTENT_AFTER);
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!isAbsent(error) || consistent.over) throw error;
      await consistent.rest(attempt);
    }
  }
}
