import type { AwsResource } from "./declaration";
import { satisfies } from "./property";
import type { Values } from "./value";
import { isRecord, prune, without } from "./value";

/**
 * The state after a read. What the program spelled differently but means the same keeps the program's spelling, and
 * what AWS does not tell keeps its value, so that a refresh shows only real changes.
 */
export function stateAfterRead(resource: AwsResource, found: Values, known: Values): Record<string, unknown> {
  const state: Record<string, unknown> = { ...found };
  for (const [name, property] of Object.entries(resource.properties)) {
    if (property === undefined) continue;
    if (property.local === true && state[name] === undefined) state[name] = known[name] ?? property.fallback;
    if (known[name] === undefined) continue;
    const scalar = !isRecord(known[name]);
    if (
      scalar &&
      state[name] !== undefined &&
      satisfies(property, known[name], state[name]) &&
      full(property, known[name], state[name])
    ) {
      state[name] = known[name];
    }
  }
  return state;
}

/** Whether the spelling that is known leaves out nothing that was found. */
function full(property: Parameters<typeof satisfies>[0], known: unknown, found: unknown): boolean {
  return satisfies(property, found, known);
}

/** The inputs that a program would need for this state: as they were, but for what has drifted. */
export function inputsAfterRead(
  resource: AwsResource,
  state: Values,
  inputs: Values,
): Record<string, unknown> {
  let result: Record<string, unknown> = { ...inputs };
  for (const [name, property] of Object.entries(resource.properties)) {
    if (property === undefined) continue;
    const before = inputs[name];
    if (before !== undefined) {
      if (!satisfies(property, before, state[name])) {
        result =
          prune(state[name]) === undefined ? without(result, name) : { ...result, [name]: state[name] };
      }
    } else if (
      property.computed !== true &&
      property.local !== true &&
      meansSomething(property.fallback, state[name])
    ) {
      result[name] = state[name];
    }
  }
  return resource.tagging === undefined ? result : withTags(result, state);
}

/** The inputs that an import proposes: everything that the state has of them. */
export function inputsForImport(resource: AwsResource, state: Values): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const defaults: string[] = [];
  for (const [name, property] of Object.entries(resource.properties)) {
    if (property === undefined) continue;
    const value = state[name] ?? property.fallback;
    if (prune(value) === undefined || (value === false && property.fallback === undefined)) continue;
    result[name] = value;
    if (property.fallback !== undefined && satisfies(property, property.fallback, value)) defaults.push(name);
  }
  const inputs = { ...result, __defaults: defaults.sort() };
  return resource.tagging === undefined ? inputs : withTags(inputs, state);
}

function meansSomething(fallback: unknown, value: unknown): boolean {
  return prune(value) !== undefined && value !== false && value !== 0 && value !== fallback;
}

function withTags(inputs: Record<string, unknown>, state: Values): Record<string, unknown> {
  const tags = prune(state.tags);
  if (tags === undefined) delete inputs.tags;
  else inputs.tags = tags;
  return inputs;
}
