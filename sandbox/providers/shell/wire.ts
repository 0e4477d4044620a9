import type * as pulumi from "@pulumi/pulumi";
import { isObject as isRecord } from "../../../lib/json";

export { isRecord };

/** Properties of a resource or function, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Stands, in a preview, for a value that nobody knows yet. It is never computed with. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** Properties as they came from the engine: plain values, and the names of those that are or hold a secret. */
export interface Received {
  readonly values: Values;
  readonly secrets: ReadonlySet<string>;
}

/** An asset or archive as the engine sends it: with a signature, the hash of its content, and where the content is. */
export interface WireAsset {
  readonly [SIGNATURE_KEY]: typeof Signature.asset | typeof Signature.archive;
  readonly hash?: string;
  readonly text?: string;
  readonly path?: string;
  readonly uri?: string;
  readonly assets?: Readonly<Record<string, unknown>>;
}

/** The type of a value of the SDK once inputs, outputs and promises are resolved and assets are in their wire form. */
export type Plain<T> = 0 extends 1 & T
  ? unknown
  : T extends pulumi.OutputInstance<infer U> | Promise<infer U>
    ? Plain<U>
    : T extends (infer U)[]
      ? Plain<U>[]
      : T extends object
        ? PlainObject<T>
        : T;

// The SDK's classes of assets and archives show no members, and nothing else in its arguments does without.
type PlainObject<T> = [keyof T] extends [never] ? WireAsset : { [K in keyof T]: Plain<T[K]> };

// Constants of the engine's wire format (sdk/go/common/resource: properties.go, sig).
const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
const Signature = {
  secret: "1b47061264138c4ac30d75fd1eb44270",
  output: "d0e6a833031e9bbcd3f4e8bde6ca49a4",
  asset: "c44067f5952c0a294b673a41bacd8c17",
  archive: "0def7320c3a5731c473e5ecbe6d01bc7",
} as const;
const UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNKNOWN_TEXTS = new Set([
  UNKNOWN_STRING,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Reads properties from their wire form. */
export function receive(wire: Values): Received {
  const secrets = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(wire)) {
    const value = decode(raw, () => secrets.add(name));
    if (value !== null && value !== undefined) values[name] = value;
  }
  return { values, secrets };
}

/** Writes properties in their wire form; those in `secrets` are marked so that the engine encrypts and masks them. */
export function send(values: Values, secrets: ReadonlySet<string>): Record<string, WireValue> {
  const wire: Record<string, WireValue> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue;
    const encoded = encode(value, name);
    wire[name] = secrets.has(name) ? { [SIGNATURE_KEY]: Signature.secret, value: encoded } : encoded;
  }
  return wire;
}

/** What the engine's wire format can hold. */
export type WireValue = null | number | string | boolean | WireValue[] | { [key: string]: WireValue };

/** Whether a value is, or holds anywhere inside, something unknown. */
export function holdsUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isRecord(value) && Object.values(value).some(holdsUnknown);
}

/** Every text inside the named properties: what must never be shown. */
export function textsIn(values: Values, names: Iterable<string>): string[] {
  const collect = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(collect) : [];
  };
  return [...names].flatMap((name) => collect(values[name]));
}

/** Whether a value is an asset or archive. */
export function isAsset(value: unknown): value is WireAsset {
  const signature = isRecord(value) ? value[SIGNATURE_KEY] : undefined;
  return signature === Signature.asset || signature === Signature.archive;
}

/** Whether a value is an archive. */
export function isArchive(value: unknown): value is WireAsset {
  return isAsset(value) && value[SIGNATURE_KEY] === Signature.archive;
}

/** An asset whose content is the file at `path`. */
export function fileAsset(path: string, hash: string): WireAsset {
  return { [SIGNATURE_KEY]: Signature.asset, path, hash };
}

/** An archive made of assets, by their path in it. */
export function assetArchive(assets: Readonly<Record<string, WireAsset>>, hash: string): WireAsset {
  return { [SIGNATURE_KEY]: Signature.archive, assets, hash };
}

function decode(value: unknown, onSecret: () => void): unknown {
  if (typeof value === "string") return UNKNOWN_TEXTS.has(value) ? UNKNOWN : value;
  if (Array.isArray(value)) return value.map((item) => decode(item, onSecret));
  if (!isRecord(value)) return value;
  if (value[SIGNATURE_KEY] === Signature.secret) {
    onSecret();
    return decode(value.value, onSecret);
  }
  if (value[SIGNATURE_KEY] === Signature.output) {
    if (value.secret === true) onSecret();
    return "value" in value ? decode(value.value, onSecret) : UNKNOWN;
  }
  const entries = Object.entries(value).map(([key, item]) => [key, decode(item, onSecret)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== null));
}

function encode(value: unknown, path: string): WireValue {
  if (value === UNKNOWN) return UNKNOWN_STRING;
  if (
    value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean"
  ) {
    return value;
  }
  if (Array.isArray(value)) return value.map((item, index) => encode(item, `${path}[${index}]`));
  if (isRecord(value)) {
    const known = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(known.map(([key, item]) => [key, encode(item, `${path}.${key}`)]));
  }
  throw new Error(`The property ${path} holds a ${typeof value}, which cannot be sent to the engine.`);
}
