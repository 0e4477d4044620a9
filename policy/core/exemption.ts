import { isRecord, type Finding } from "./property";
import { identityOf } from "./resource";
import { isLike } from "./settings";

/** An invalid entry in the policy section of a stack's config; `policy` is empty if it concerns none in particular. */
export interface ConfigError {
  readonly policy: string;
  readonly message: string;
}

/** Allows a resource to violate a policy. */
export interface Exemption {
  /** The policy's name. */
  readonly policy: string;
  /** `type::name` of the resource; `*` in the name matches anything. @example "aws:ebs/volume:Volume::dev-*" */
  readonly resource: string;
  readonly reason: string;
  /** The last day on which it applies. @default it does not expire @example "2027-06-30" */
  readonly expires?: string;
  /** Values that are allowed; any other is a violation. @default any value @example ["/etc", "0"] */
  readonly values?: readonly string[];
  /** Properties that are covered, as the policy names them. @default any property @example ["spec.template.spec.hostPID"] */
  readonly properties?: readonly string[];
  /** A component type that the resource has to be a child of. @default any parent @example "fleetwright:index:Agent" */
  readonly component?: string;
}

/** How far ahead an exemption in a stack's config may expire. */
const MAX_DAYS = 400;

const DAY_MS = 24 * 3600 * 1000;

/** Whether an exemption covers a finding, expired or not. */
export function covers(exemption: Exemption, policy: string, { urn, property, found }: Finding): boolean {
  return (
    exemption.policy === policy &&
    isAbout(exemption, urn) &&
    // Messages show a text in quotes; exemptions name it without.
    (exemption.values?.some((value) => found === value || found === JSON.stringify(value)) ?? true) &&
    (exemption.properties?.includes(property) ?? true)
  );
}

/** Whether an exemption is about the resource with a URN. */
export function isAbout({ resource, component }: Exemption, urn: string): boolean {
  const { type, name, parentTypes } = identityOf(urn);
  const [wantedType = "", ...wantedName] = resource.split("::");
  return (
    wantedType === type &&
    isLike(name, [wantedName.join("::")]) &&
    (component === undefined || parentTypes.includes(component))
  );
}

/** Whether an exemption has expired. */
export function isExpired({ expires }: Exemption, today: string): boolean {
  return expires !== undefined && expires < today;
}

/** Reads the exemptions in a stack's config, with the errors of those that are invalid. */
export function readExemptions(
  given: unknown,
  today: string,
): { exemptions: Exemption[]; errors: ConfigError[] } {
  const exemptions: Exemption[] = [];
  const errors: ConfigError[] = [];
  if (given === undefined) return { exemptions, errors };
  if (!Array.isArray(given)) {
    return {
      exemptions,
      errors: [{ policy: "", message: "exemptions is not a list: write one entry per exemption" }],
    };
  }
  given.forEach((entry: unknown, index) => {
    const policy = isRecord(entry) && typeof entry.policy === "string" ? entry.policy : "";
    const error = errorOf(entry, today);
    if (error !== undefined) errors.push({ policy, message: `exemption ${index + 1} (${policy}): ${error}` });
    else if (isExemption(entry)) exemptions.push(entry);
  });
  return { exemptions, errors };
}

/** An exemption as a stack's config writes it. */
type StackExemption = Exemption & { readonly expires: string };

function isExemption(entry: unknown): entry is StackExemption {
  return (
    isRecord(entry) &&
    REQUIRED.every((key) => typeof entry[key] === "string") &&
    LISTS.every((key) => entry[key] === undefined || isStrings(entry[key]))
  );
}

const REQUIRED = ["policy", "resource", "reason", "expires"];
const LISTS = ["values", "properties"];

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((member) => typeof member === "string");
}

function errorOf(entry: unknown, today: string): string | undefined {
  if (!isExemption(entry))
    return "policy, resource, reason and expires have to be strings, values and properties lists of strings";
  const { resource, reason, expires } = entry;
  const others = Object.keys(entry).filter((key) => ![...REQUIRED, ...LISTS].includes(key));
  if (others.length > 0) return `unknown key ${others.join(", ")}: use ${[...REQUIRED, ...LISTS].join(", ")}`;
  if (!/^[^:*]+:[^:*]+:[^:*]+::.+$/.test(resource))
    return `resource is ${JSON.stringify(resource)}: use type::name; * is allowed in the name only`;
  if (/::\**$/.test(resource))
    return `resource is ${JSON.stringify(resource)}, which matches every resource of the type: name the resources`;
  if (reason.trim().length < 10) return "reason is too short: explain why the resource is exempt";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(expires) || Number.isNaN(Date.parse(expires)))
    return `expires is ${JSON.stringify(expires)}: use a date such as 2027-06-30`;
  if (Date.parse(expires) - Date.parse(today) > MAX_DAYS * DAY_MS)
    return `expires is ${expires}, more than ${MAX_DAYS} days ahead: use an earlier date and review it then`;
  return undefined;
}
