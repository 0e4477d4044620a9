import type { CheckFailure } from "../../shell/kind";
import type { Checked, CheckRequest } from "../../shell/resource";
import type { AwsResource } from "./declaration";
import { NotInSandbox } from "./errors";
import { autoName, noRoomForName } from "./naming";
import type { Values } from "./value";
import { definedValues, holdsUnknown, isRecord, isList, UNKNOWN } from "./value";

/** The inputs that the engine adds to those of the declaration. */
const OWN = ["__defaults", "region", "tags", "tagsAll"];

/** Whether the program left a property to the provider, as far as the state tells. */
export function wasDefaulted(inputs: Values, property: string): boolean {
  const defaults = inputs.__defaults;
  return isList(defaults) && defaults.includes(property);
}

/** Checks the inputs of a resource and fills in its defaults, as the official provider does. */
export function checkInputs(resource: AwsResource, request: CheckRequest): Checked {
  const given = definedValues(request.news);
  delete given.__defaults;
  // An output of another resource may be passed on whole; what it computed is not an input.
  delete given.tagsAll;
  const inputs = { ...given };
  for (const [property, rule] of Object.entries(resource.properties)) {
    if (rule?.json === true) inputs[property] = asText(inputs[property]);
  }
  const defaults: string[] = [];
  const fill = (property: string, value: unknown): void => {
    inputs[property] = value;
    defaults.push(property);
  };
  for (const [property, rule] of Object.entries(resource.properties)) {
    if (inputs[property] === undefined && rule?.fallback !== undefined) fill(property, rule.fallback);
  }
  const failures: CheckFailure[] = [];
  const name = resource.name;
  if (
    name !== undefined &&
    inputs[name.property] === undefined &&
    inputs[name.prefixProperty ?? ""] === undefined
  ) {
    const kept = wasDefaulted(request.olds, name.property) ? request.olds[name.property] : undefined;
    const reason = kept === undefined ? noRoomForName(name, request.urn) : undefined;
    if (reason !== undefined) failures.push({ property: name.property, reason });
    fill(name.property, kept ?? autoName(name, request.urn, request.seed));
  }
  failures.push(
    ...Object.keys(given).flatMap((property) => unknownProperty(resource, property)),
    ...Object.keys(resource.properties).flatMap((property) => badValue(resource, property, inputs)),
  );
  if (failures.length === 0 && resource.check !== undefined && !holdsUnknown(inputs)) {
    failures.push(...resource.check(inputs).map((reason) => ({ property: "", reason })));
  }
  return { inputs: definedValues({ ...inputs, __defaults: defaults.sort() }), failures };
}

/** A JSON document that the program gave as an object. */
function asText(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return holdsUnknown(value) ? UNKNOWN : JSON.stringify(value);
}

function unknownProperty(resource: AwsResource, property: string): CheckFailure[] {
  if (property in resource.properties) return [];
  const own = OWN.filter((key) =>
    key === "region" ? resource.global !== true : key !== "tags" || resource.tagging,
  );
  if (own.includes(property)) return [];
  return [{ property, reason: new NotInSandbox(`The property ${property} of ${resource.token}`).message }];
}

function badValue(resource: AwsResource, property: string, inputs: Values): CheckFailure[] {
  const rule = resource.properties[property];
  const value = inputs[property];
  if (value === undefined) {
    return rule?.required === true
      ? [{ property, reason: `${resource.token} needs ${property}; it is missing` }]
      : [];
  }
  if (rule?.oneOf !== undefined && !holdsUnknown(value) && !rule.oneOf.some((text) => text === value)) {
    return [
      { property, reason: `${property} is ${JSON.stringify(value)}; it can be ${rule.oneOf.join(", ")}` },
    ];
  }
  return [];
}
