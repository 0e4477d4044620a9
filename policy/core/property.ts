import { isObject as isRecord } from "../../lib/json";

export { isRecord };

/** How the engine writes a value that is not known yet, by type. */
const UNKNOWN: ReadonlySet<unknown> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9", // string
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // list
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

/** How the engine marks a secret, in its state and on the wire. */
export const SECRET_KEY = "4dabf18193072939515e22adb298388d";
export const SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270";

/** Properties whose value is never shown, secret or not. */
const SENSITIVE = /user_?data|password|passphrase|secret|credential|private_?key|token$/i;

/** The length up to which a text is shown in full. */
const MAX_SHOWN = 80;

let textsAreShown = true;

/** Shows no texts from now on, because secrets cannot be distinguished from other texts. */
export function hideTexts(): void {
  textsAreShown = false;
}

/** A violation, or a value that a policy needs and that is not known yet. */
export interface Finding {
  readonly kind: "violation" | "unknown";
  readonly urn: string;
  /** Where, such as `spec.containers[0].image`; empty for the resource as a whole. */
  readonly property: string;
  /** The value found, fit to be shown. */
  readonly found: string;
  /** How to fix it; for an unknown value, empty if the update will make it known. */
  readonly fix: string;
}

/** Thrown when a check reads a value that is not known yet. */
export class NotKnown extends Error {
  constructor(
    readonly property: Property,
    readonly why: string,
  ) {
    super(`${property.path} ${why}`);
  }
}

/**
 * A property of a resource as a policy sees it: its path, its value, whether it is known and whether it is a secret.
 * Reading an unknown value throws, so that a policy cannot mistake it for an absent one.
 */
export class Property {
  private constructor(
    private readonly urn: string,
    readonly path: string,
    private readonly raw: unknown,
    private readonly isSecret: boolean,
    private readonly findings: Finding[],
  ) {}

  /** All properties of a resource; what is found goes into `findings`. */
  static root(urn: string, raw: unknown, findings: Finding[]): Property {
    return Property.open(urn, "", raw, false, findings);
  }

  private static open(
    urn: string,
    path: string,
    raw: unknown,
    isSecret: boolean,
    findings: Finding[],
  ): Property {
    // The SDK wraps a secret in an object of its own class, the state in an object with a mark.
    return isRecord(raw) && (isSdkSecret(raw) || raw[SECRET_KEY] === SECRET_MARK)
      ? Property.open(urn, path, openSecret(raw), true, findings)
      : new Property(urn, path, raw, isSecret, findings);
  }

  /** A property inside this one. */
  at(...keys: readonly (string | number)[]): Property {
    return keys.reduce<Property>((property, key) => property.child(key), this);
  }

  private child(key: string | number): Property {
    // What is inside an unknown value is unknown too, and reported under the path of the outer one.
    if (this.trouble() !== undefined) return this;
    const path =
      typeof key === "number" ? `${this.path}[${key}]` : this.path === "" ? key : `${this.path}.${key}`;
    const inside: unknown =
      typeof this.raw === "object" && this.raw !== null ? Reflect.get(this.raw, key) : undefined;
    return Property.open(this.urn, path, inside ?? undefined, this.isSecret, this.findings);
  }

  /** Whether it has a value. */
  get isSet(): boolean {
    return this.known() !== undefined;
  }

  /** The text; undefined if it is not one. */
  text(): string | undefined {
    const value = this.known();
    return typeof value === "string" ? value : undefined;
  }

  /** The text if it is known: for lookups, never for a decision. */
  textIfKnown(): string | undefined {
    return this.trouble() === undefined ? this.text() : undefined;
  }

  /** The boolean; providers also write it as text. */
  flag(): boolean | undefined {
    const value = this.known();
    if (value === true || value === "true") return true;
    return value === false || value === "false" ? false : undefined;
  }

  /** The number; providers also write it as text. */
  number(): number | undefined {
    const value = this.known();
    if (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
    return typeof value === "number" ? value : undefined;
  }

  /** The members of a list. Another value counts as a list of one, because providers differ in this. */
  list(): Property[] {
    const value = this.known();
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [this];
    return value.map((_, index) => this.at(index));
  }

  /** The texts of a list. */
  texts(): string[] {
    return this.list().flatMap((member) => member.text() ?? []);
  }

  /** The fields of an object. */
  fields(): [string, Property][] {
    const value = this.known();
    return isRecord(value) ? Object.keys(value).map((key) => [key, this.at(key)]) : [];
  }

  /** Checks each member of a list by itself: one that is not known yet does not keep the others from being checked. */
  each(check: (member: Property, index: number) => void): void {
    this.attempt(() =>
      this.list().forEach((member, index) => {
        member.attempt(() => check(member, index));
      }),
    );
  }

  /** Runs a check; if it reads an unknown value, that is reported. */
  attempt(check: () => void): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      this.findings.push({
        kind: "unknown",
        urn: error.property.urn,
        property: error.property.path,
        found: error.why,
        fix: "",
      });
    }
  }

  /** Reports a violation; `found` describes what was found if the value itself does not. */
  reportViolation(fix: string, found = this.shown()): void {
    this.findings.push({ kind: "violation", urn: this.urn, property: this.path, found, fix });
  }

  /** The value as it may be shown. */
  shown(): string {
    const value = this.known();
    if (value === undefined) return "not set";
    if (this.isSecret) return "[secret]";
    if (SENSITIVE.test(this.path) || (typeof value === "string" && !textsAreShown)) return "[not shown]";
    if (typeof value === "string")
      return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
    if (typeof value === "boolean" || typeof value === "number") return String(value);
    if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
    return "an object";
  }

  private known(): unknown {
    const why = this.trouble();
    if (why !== undefined) throw new NotKnown(this, why);
    return this.raw ?? undefined;
  }

  /** Why the value cannot be read. */
  private trouble(): string | undefined {
    if (UNKNOWN.has(this.raw)) return "is not known yet";
    return this.raw === UNREADABLE ? "is a secret that cannot be read here" : undefined;
  }
}

/** Stands for a secret of which only the ciphertext is available. */
const UNREADABLE = Symbol("a secret that cannot be read");

/** By name, so that nothing here needs the SDK. */
function isSdkSecret(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    isRecord(prototype) &&
    typeof prototype.constructor === "function" &&
    prototype.constructor.name === "Secret"
  );
}

function openSecret(wrapped: Readonly<Record<string, unknown>>): unknown {
  if ("value" in wrapped) return wrapped.value;
  if (typeof wrapped.plaintext !== "string") return UNREADABLE;
  try {
    return JSON.parse(wrapped.plaintext);
  } catch {
    return UNREADABLE;
  }
}
