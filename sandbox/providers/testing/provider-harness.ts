import type { Context } from "../shell/context";
import { functionOf, type Provider, resourceOf } from "../shell/provider";
import type { Values } from "../shell/wire";

/** A log that nobody reads. */
export const silentLog: Context["log"] = {
  status: () => {},
  info: () => {},
  warning: () => {},
  error: () => {},
};

/** The context of an operation that nobody watches. */
export function testContext(overrides: Partial<Context> = {}): Context {
  return {
    urn: "urn:pulumi:dev::project::test:index:Test::test",
    name: "test",
    timeoutSeconds: 0,
    signal: new AbortController().signal,
    log: silentLog,
    config: {},
    secretTexts: [],
    secretNames: new Set(),
    ...overrides,
  };
}

/** A resource type of a provider, called as the service calls it, without the engine. */
export function call(provider: Provider, token: string, context: Context = testContext()) {
  const resource = resourceOf(provider, token);
  const check = (news: Values) =>
    resource.check({ urn: context.urn, olds: {}, news, seed: new Uint8Array() });
  const complete = (inputs: Values): Values => {
    const { inputs: checked, failures } = check(inputs);
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join(" "));
    return checked;
  };
  return {
    failures: (inputs: Values): string[] => check(inputs).failures.map(({ reason }) => reason),
    diff: (oldInputs: Values, news: Values, state: Values = {}): Record<string, string> =>
      Object.fromEntries(
        Object.entries(
          resource.diff(context.urn, { olds: state, oldInputs, news, ignore: [] }).properties,
        ).map(([name, { change }]) => [name, change]),
      ),
    create: async (inputs: Values) => resource.create(context, complete(inputs)),
    update: async (id: string, state: Values, oldInputs: Values, news: Values) =>
      resource.update(context, id, {
        olds: state,
        oldInputs: complete(oldInputs),
        news: complete(news),
        ignore: [],
      }),
    read: async (id: string, state: Values) => (await resource.read(context, id, state, {}))?.state,
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
