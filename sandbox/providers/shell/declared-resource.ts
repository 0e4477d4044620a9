import { isDeepStrictEqual } from "node:util";
import type { Context } from "./context";
import { type CheckFailure, type Kind, memberFailures, sentence, sentences } from "./kind";
import { type Change as ChangeOf, changeKind, type PropertyChange, type Resource } from "./resource";
import { holdsUnknown, isAsset, isRecord, UNKNOWN, type Values } from "./wire";

/** How a changed input comes about: in place, by a new resource, or not at all. */
export type OnChange = ChangeOf | "nothing";

/** One input property of a resource type. */
export interface Input<T> {
  readonly kind: Kind<T>;
  /** @default false */
  readonly required?: boolean;
  readonly default?: T;
  /** Whether the state always keeps it encrypted. Inputs that arrive as secrets are kept as such in any case. */
  readonly secret?: boolean;
  /** @default "update" */
  readonly onChange?: OnChange;
  /** Whether the state's outputs leave it out, for values that are to be used and forgotten. @default false */
  readonly transient?: boolean;
}

/** One output property that is not also an input. */
export interface Output<T> {
  readonly kind: Kind<T>;
  /** @default false */
  readonly required?: boolean;
  readonly secret?: boolean;
}

/** A new resource. */
export interface Created<Outputs> {
  readonly id: string;
  readonly outputs: Outputs;
}

/** Old state, new inputs, and the names of the inputs that differ. */
export interface Change<Inputs, Outputs> {
  readonly id: string;
  readonly olds: Inputs & Outputs;
  readonly news: Inputs;
  readonly changed: ReadonlySet<string>;
}

/**
 * The declaration of a resource type. `Inputs` and `Outputs` are taken from the SDK's own types, so that a property that is missing here,
 * wrong or of another type does not compile. What the functions get is always complete: never unknown.
 */
export interface ResourceType<Inputs, Outputs> {
  readonly inputs: { readonly [K in keyof Inputs]-?: Input<Exclude<Inputs[K], undefined>> };
  readonly outputs: { readonly [K in keyof Outputs]-?: Output<Exclude<Outputs[K], undefined>> };
  /** Problems that lie between properties; it sees those that are there and known. */
  check?(inputs: Partial<Inputs>): CheckFailure[];
  /** Changes that come from the state and not from the program, such as a certificate that is about to expire. */
  drift?(olds: Inputs & Outputs, news: Partial<Inputs>): Readonly<Record<string, ChangeOf>>;
  /** Whether an update makes new outputs, so that a preview cannot know them. @default never */
  renews?(changed: ReadonlySet<string>): boolean;
  create(context: Context, inputs: Inputs): Promise<Created<Outputs>>;
  /** The state as it is now, or undefined where the resource is gone. @default the state that is recorded */
  read?(context: Context, id: string, state: Inputs & Outputs): Promise<(Inputs & Outputs) | undefined>;
  /** @default keeps the outputs */
  update?(context: Context, change: Change<Inputs, Outputs>): Promise<Outputs>;
  delete?(context: Context, id: string, state: Inputs & Outputs): Promise<void>;
}

/** Makes a resource of a declaration. */
export function resource<Inputs extends object, Outputs extends object>(
  type: ResourceType<Inputs, Outputs>,
): Resource {
  const inputs: Readonly<Record<string, Input<unknown>>> = type.inputs;
  const outputs: Readonly<Record<string, Output<unknown>>> = type.outputs;
  const properties = { ...inputs, ...outputs };

  const isInputs = (values: Values): values is Values & Inputs => memberFailures(inputs, values).length === 0;
  const isState = (values: Values): values is Values & Inputs & Outputs =>
    memberFailures(properties, values).length === 0;

  const asInputs = (values: Values): Inputs => {
    if (isInputs(values)) return values;
    throw new Error(sentence(memberFailures(inputs, values)));
  };
  // A state may have been written by another version or by the official provider: what we do not know stays out of it.
  const asState = (values: Values): Inputs & Outputs => {
    const known = pick(values, (name) => name in properties);
    if (isState(known)) return known;
    throw new Error(`The recorded state cannot be used: ${sentence(memberFailures(properties, known))}`);
  };
  // The official provider may have recorded inputs without the defaults: what means the same is no change.
  const changedInputs = (oldInputs: Values, news: Values): Set<string> =>
    new Set(
      Object.entries(inputs).flatMap(([name, input]) =>
        same(oldInputs[name] ?? input.default, news[name] ?? input.default) ? [] : [name],
      ),
    );
  const kept = (news: Values): Values => pick(news, (name) => inputs[name]?.transient !== true);
  const unknownOutputs = (): Values =>
    Object.fromEntries(Object.keys(outputs).map((name) => [name, UNKNOWN]));

  return {
    importable: false,

    check: ({ news }) => {
      const missing = Object.entries(inputs).filter(
        ([name, input]) => news[name] === undefined && input.default !== undefined,
      );
      const defaults = Object.fromEntries(missing.map(([name, input]) => [name, input.default]));
      const complete = { ...news, ...defaults };
      const failures = memberFailures(inputs, complete);
      const known = pick(complete, (_, value) => !holdsUnknown(value));
      if (failures.length === 0 && isPartial<Inputs>(known, inputs))
        failures.push(...(type.check?.(known) ?? []));
      return { inputs: complete, failures: sentences(failures) };
    },

    diff: (_urn, { olds, oldInputs, news }) => {
      const known = pick(news, (name, value) => name in inputs && !holdsUnknown(value));
      const drift =
        type.drift !== undefined && isPartial<Inputs>(known, inputs) ? type.drift(asState(olds), known) : {};
      const changes: Record<string, PropertyChange> = {};
      for (const [name, change] of Object.entries(drift))
        changes[name] = { kind: "update", change, input: false };
      for (const name of changedInputs(oldInputs, news)) {
        const change = inputs[name]?.onChange ?? "update";
        if (change !== "nothing")
          changes[name] = { kind: changeKind(oldInputs[name], news[name]), change, input: true };
      }
      return { properties: changes };
    },

    previewCreate: (news) => ({ ...kept(news), ...unknownOutputs() }),

    previewUpdate: ({ olds, oldInputs, news }) => {
      const renewed = type.renews?.(changedInputs(oldInputs, news)) ?? false;
      return { ...kept(news), ...(renewed ? unknownOutputs() : pick(olds, (name) => name in outputs)) };
    },

    create: async (context, news) => {
      const created = await type.create(context, asInputs(news));
      return { id: created.id, state: { ...kept(news), ...created.outputs } };
    },

    read: async (context, id, state, recorded = {}) => {
      if (type.read === undefined) return { id, state, inputs: recorded };
      const now = await type.read(context, id, asState(state));
      return now === undefined
        ? undefined
        : { id, state: Object.fromEntries(Object.entries(now)), inputs: recorded };
    },

    update: async (context, id, { olds, oldInputs, news }) => {
      const old = asState(olds);
      const change = { id, olds: old, news: asInputs(news), changed: changedInputs(oldInputs, news) };
      const made =
        type.update === undefined
          ? pick(olds, (name) => name in outputs)
          : await type.update(context, change);
      return { ...kept(news), ...made };
    },

    delete: async (context, id, state) => {
      // A state that this version cannot read must not stand in the way of a destroy that has nothing to do.
      if (type.delete !== undefined) await type.delete(context, id, asState(state));
    },

    secrets: (received) => {
      const declared = Object.entries(properties).filter(([, rule]) => rule.secret === true);
      const arrived = [...received].flatMap(({ secrets }) => [...secrets]);
      return new Set([...declared.map(([name]) => name), ...arrived]);
    },
  };
}

/** Whether two values of a property are the same. Assets are the same when their content is. */
export function same(one: unknown, other: unknown): boolean {
  if (one === UNKNOWN || other === UNKNOWN) return false;
  if (isAsset(one) && isAsset(other) && one.hash !== undefined) return one.hash === other.hash;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  }
  if (isRecord(one) && isRecord(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => same(one[name], other[name]));
  }
  return isDeepStrictEqual(one, other);
}

function isPartial<T>(
  values: Values,
  rules: Readonly<Record<string, Input<unknown>>>,
): values is Values & Partial<T> {
  return Object.entries(values).every(
    ([name, value]) => rules[name]?.kind.failures(value, name).length === 0,
  );
}

function pick(values: Values, wanted: (name: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => wanted(name, value)));
}
