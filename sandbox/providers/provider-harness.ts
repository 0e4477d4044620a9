import type { Context } from "./context";
import { functionOf, type Provider, resourceOf } from "./provider";
import { sentence } from "./resource";
import type { Values } from "./wire";

/** Surroundings of a call in a test. */
export function testContext(overrides: Partial<Context> = {}): Context {
  return {
    name: "test",
    signal: new AbortController().signal,
    log: { status: () => {}, info: () => {}, warning: () => {} },
    config: {},
    secretTexts: [],
    secretNames: new Set(),
    ...overrides,
  };
}

/** A resource type of a provider, called as the service calls it, without the engine. */
export function call(provider: Provider, token: string, context: Context = testContext()) {
  const resource = resourceOf(provider, token);
  const complete = (inputs: Values): Values => {
    const { defaults, problems } = resource.check(inputs);
    if (problems.length > 0) throw new Error(sentence(problems));
    return { ...inputs, ...defaults };
  };
  return {
    problems: (inputs: Values): string[] =>
      resource.check(inputs).problems.map((problem) => sentence([problem])),
    diff: (oldInputs: Values, news: Values, state: Values = {}): Record<string, string> =>
      Object.fromEntries(
        Object.entries(resource.diff(state, oldInputs, news)).map(([name, { onChange }]) => [name, onChange]),
      ),
    create: async (inputs: Values) => resource.create(context, complete(inputs)),
    update: async (id: string, state: Values, oldInputs: Values, news: Values) =>
      resource.update(context, id, state, complete(oldInputs), complete(news)),
    read: async (id: string, state: Values) => resource.read(context, id, state),
    delete: async (id: string, state: Values) => resource.delete(context, id, state),
  };
}

/** The answer of a provider's function. */
export async function written(
  provider: Provider,
  token: string,
  args: Values,
  context = testContext(),
): Promise<Values> {
  return functionOf(provider, token).invoke(context, args);
}

/** The text of a property. */
export function read(state: Values, property: string): string {
  const value = state[property];
  if (typeof value === "string") return value;
  throw new Error(`${property} is ${typeof value}`);
}
