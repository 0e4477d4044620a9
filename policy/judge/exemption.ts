import { isRecord, type Finding } from "./property";
import { identityOf } from "./resource";
import { isLike } from "./settings";

/** Leave to break a policy, for a while. */
export interface Exemption {
  /** The policy's name. */
  readonly policy: string;
  /** `type::name` of the resource; in the name `*` stands for anything. @example "aws:ebs/volume:Volume::dev-*" */
  readonly resource: string;
  readonly reason: string;
  /** The last day on which it counts. @example "2027-06-30" */
  readonly expires: string;
  /** What may be found; anything else stays a violation. @default anything @example ["/etc", "0"] */
  readonly values?: readonly string[];
  /** Where it may be found, exactly as the policy says it. @default anywhere @example ["spec.template.spec.hostPID"] */
  readonly properties?: readonly string[];
}

/** The longest that an exemption may run ahead; what is meant for ever is a setting or another policy. */
const LONGEST_DAYS = 400;

const DAY_MS = 24 * 3600 * 1000;

/** Whether an exemption covers a finding; whether it still counts is another question. */
export function covers(exemption: Exemption, policy: string, { urn, property, found }: Finding): boolean {
  const { type, name } = identityOf(urn);
  const [wantedType = "", ...wantedName] = exemption.resource.split("::");
  return (
    exemption.policy === policy &&
    wantedType === type &&
    isLike(name, [wantedName.join("::")]) &&
    // A text is shown in quotes and written without.
    (exemption.values?.some((value) => found === value || found === JSON.stringify(value)) ?? true) &&
    (exemption.properties?.includes(property) ?? true)
  );
}

/** Whether an exemption's time is over. */
export function isExpired({ expires }: Exemption, today: string): boolean {
  return expires < today;
}

/** Exemptions as they stand in the stack's config, and what is wrong with those that cannot be read. */
export function readExemptions(
  given: unknown,
  today: string,
): { exemptions: Exemption[]; problems: { policy: string; problem: string }[] } {
  const exemptions: Exemption[] = [];
  const problems: { policy: string; problem: string }[] = [];
  if (given === undefined) return { exemptions, problems };
  if (!Array.isArray(given)) {
    return {
      exemptions,
      problems: [{ policy: "", problem: "the exemptions are not a list: write one entry for each" }],
    };
  }
  given.forEach((entry: unknown, index) => {
    const policy = isRecord(entry) && typeof entry.policy === "string" ? entry.policy : "";
    const wrong = problemOf(entry, today);
    if (wrong !== undefined)
      problems.push({ policy, problem: `exemption ${index + 1} (${policy}): ${wrong}` });
    else if (isExemption(entry)) exemptions.push(entry);
  });
  return { exemptions, problems };
}

function isExemption(entry: unknown): entry is Exemption {
  return (
    isRecord(entry) &&
    REQUIRED.every((key) => typeof entry[key] === "string") &&
    LISTS.every((key) => entry[key] === undefined || isTexts(entry[key]))
  );
}

const REQUIRED = ["policy", "resource", "reason", "expires"];
const LISTS = ["values", "properties"];

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((member) => typeof member === "string");
}

function problemOf(entry: unknown, today: string): string | undefined {
  if (!isExemption(entry))
    return "give policy, resource, reason and expires as texts, and values and properties as lists of texts";
  const { resource, reason, expires } = entry;
  const others = Object.keys(entry).filter((key) => ![...REQUIRED, ...LISTS].includes(key));
  if (others.length > 0)
    return `${others.join(", ")} is not known here: give ${[...REQUIRED, ...LISTS].join(", ")}`;
  if (!/^[^:*]+:[^:*]+:[^:*]+::.+$/.test(resource))
    return `resource is ${JSON.stringify(resource)}: write type::name, with * in the name at most`;
  if (/::\**$/.test(resource))
    return `resource is ${JSON.stringify(resource)}, which is every one of its type: name them`;
  if (reason.trim().length < 10)
    return "the reason says too little: say why, for whoever finds this in a year";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(expires) || Number.isNaN(Date.parse(expires)))
    return `expires is ${JSON.stringify(expires)}: write a day as 2027-06-30`;
  if (Date.parse(expires) - Date.parse(today) > LONGEST_DAYS * DAY_MS)
    return `expires is ${expires}, more than ${LONGEST_DAYS} days from now: take an earlier day and look again then`;
  return undefined;
}
