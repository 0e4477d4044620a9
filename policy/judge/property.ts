/** What the engine writes for a value that is not known yet, by the type that it will have. */
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

/** Properties whose value is never shown, whether or not the program calls it a secret. */
const SENSITIVE = /user_?data|password|passphrase|secret|credential|private_?key|token$/i;

/** The longest text that is shown whole. */
const LONGEST = 80;

let textsAreShown = true;

/** Shows no texts from here on: for where a secret cannot be told from another text. */
export function hideTexts(): void {
  textsAreShown = false;
}

/** Something that is not as a policy wants it, or that cannot be judged yet. */
export interface Finding {
  readonly kind: "violation" | "unknown";
  readonly urn: string;
  /** Where, such as `spec.containers[0].image`; empty for the resource as a whole. */
  readonly property: string;
  /** What was found there, fit to be shown. */
  readonly found: string;
  /** What to do about it; for what is not known, empty where the update will tell. */
  readonly fix: string;
}

/** Whether a value is an object and not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Thrown when a judgement needs a value that is not known yet. */
export class NotKnown extends Error {
  constructor(
    readonly property: Property,
    readonly why: string,
  ) {
    super(`${property.path} ${why}`);
  }
}

/**
 * A property of a resource as a policy sees it: where it is, what it is, whether it is known and whether it is a secret.
 * Reading what is not known throws, so that a policy cannot take it for something that is absent.
 */
export class Property {
  private constructor(
    private readonly urn: string,
    readonly path: string,
    private readonly raw: unknown,
    private readonly isSecret: boolean,
    private readonly findings: Finding[],
  ) {}

  /** The properties of a resource as a whole; what is found goes into `findings`. */
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
    // A secret is wrapped: by the SDK in an object of a class of its own, in the state in an object with a mark.
    return isRecord(raw) && (isSdkSecret(raw) || raw[SECRET_KEY] === SECRET_MARK)
      ? Property.open(urn, path, openSecret(raw), true, findings)
      : new Property(urn, path, raw, isSecret, findings);
  }

  /** A property inside this one. */
  at(...keys: readonly (string | number)[]): Property {
    return keys.reduce<Property>((property, key) => property.child(key), this);
  }

  private child(key: string | number): Property {
    // What is inside something unknown is unknown as well, and known by the name of the outer one.
    if (this.trouble() !== undefined) return this;
    const path =
      typeof key === "number" ? `${this.path}[${key}]` : this.path === "" ? key : `${this.path}.${key}`;
    const inside: unknown =
      typeof this.raw === "object" && this.raw !== null ? Reflect.get(this.raw, key) : undefined;
    return Property.open(this.urn, path, inside ?? undefined, this.isSecret, this.findings);
  }

  /** Whether anything is given. */
  get isSet(): boolean {
    return this.known() !== undefined;
  }

  /** The text; undefined where there is none. */
  text(): string | undefined {
    const value = this.known();
    return typeof value === "string" ? value : undefined;
  }

  /** The text where it is known: for looking things up, never for judging. */
  textIfKnown(): string | undefined {
    return this.trouble() === undefined ? this.text() : undefined;
  }

  /** The truth value; providers also write it as text. */
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

  /** The members of a list. Something that is not a list counts as a list of one: providers are not of one mind. */
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

  /** Judges every member of a list by itself: one that is not known yet keeps none of the others from being judged. */
  each(judge: (member: Property, index: number) => void): void {
    this.attempt(() =>
      this.list().forEach((member, index) => {
        member.attempt(() => judge(member, index));
      }),
    );
  }

  /** Judges; where that needs what is not known yet, says so. */
  attempt(judge: () => void): void {
    try {
      judge();
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

  /** Reports that this is not as it should be; `found` says what was found where the value itself says it badly. */
  refuse(fix: string, found = this.shown()): void {
    this.findings.push({ kind: "violation", urn: this.urn, property: this.path, found, fix });
  }

  /** The value as it may be shown. */
  shown(): string {
    const value = this.known();
    if (value === undefined) return "not set";
    if (this.isSecret) return "[secret]";
    if (SENSITIVE.test(this.path) || (typeof value === "string" && !textsAreShown)) return "[not shown]";
    if (typeof value === "string")
      return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
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

/** Stands for a secret of which only the cipher text is there. */
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
