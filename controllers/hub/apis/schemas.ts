// Schemas on the hub: each stored once by the hash of its content, compressed, and checked when it is read.
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { MAX_SCHEMA_DATA } from "../../../api";
import { content, type Schema } from "../../negotiation";
import { isAlreadyExists, type ApiClient } from "../../runtime";
import { SCHEMAS } from "./kinds";

/** More than any schema has; what is larger was made to fill memory. */
const MAX_TEXT = 64 * 1024 * 1024;
/** How many schemas are kept in memory: a fleet has hundreds of kinds, and few schemas of each. */
const KEPT = 2000;

/** A schema that no APISchema can hold. */
export class SchemaTooLargeError extends Error {
  override readonly name = "SchemaTooLargeError";

  /** `hash` is the one that it would be stored under. */
  constructor(
    readonly hash: string,
    message: string,
  ) {
    super(message);
  }
}

/** Stores and reads schemas. */
export class Schemas {
  readonly #client: ApiClient;
  readonly #known = new Map<string, Schema>();

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Stores a canonical schema unless it is there; gives its hash. Throws a {@link SchemaTooLargeError}. */
  async put(schema: Schema, signal?: AbortSignal): Promise<string> {
    const { hash, text } = content(schema);
    if (this.#known.has(hash)) return hash;
    const data = gzipSync(text).toString("base64");
    if (data.length > MAX_SCHEMA_DATA)
      throw new SchemaTooLargeError(
        hash,
        `A schema of ${text.length} bytes has ${data.length} characters compressed, and an APISchema holds ${MAX_SCHEMA_DATA}: import the kind from no cluster, by spec.imports.`,
      );
    const spec = { encoding: "gzip" as const, data, size: Buffer.byteLength(text) };
    await this.#client.create(SCHEMAS, { metadata: { name: hash }, spec }, signal).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    this.#remember(hash, schema);
    return hash;
  }

  /** The schema of a hash. Throws if what is stored under it is something else. */
  async get(hash: string, signal?: AbortSignal): Promise<Schema> {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const { spec } = await this.#client.get(SCHEMAS, { name: hash }, signal);
    const text = gunzipSync(Buffer.from(spec.data, "base64"), { maxOutputLength: MAX_TEXT });
    const found = createHash("sha256").update(text).digest("hex");
    if (found !== hash)
      throw new Error(
        `APISchema ${hash} holds a text whose hash is ${found}: delete it, and the hub stores the schema again.`,
      );
    const schema = JSON.parse(text.toString("utf8")) as Schema;
    this.#remember(hash, schema);
    return schema;
  }

  #remember(hash: string, schema: Schema): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KEPT && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hash, schema);
  }
}
