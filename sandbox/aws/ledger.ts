import { appendFileSync } from "node:fs";
import { readIfPresent } from "../../lib/files";
import { isObject, numberAt, parseJson, textAt } from "../../lib/json";
import type { Call } from "./call";

/** One call as it is remembered. It names things and never holds what is in them. */
export interface LedgerEntry {
  sequence: number;
  /** When the call came in. */
  time: string;
  service: string;
  action: string;
  region: string;
  mutating: boolean;
  /** What the call names and, if it changed something, what it made. */
  ids: string[];
  /** "ok" or the code of the error. */
  result: string;
  durationMs: number;
  /** The rule or fault that answered instead of moto. */
  answeredBy?: string;
}

/** Old entries leave the memory, never the file. */
const KEPT_IN_MEMORY = 50_000;

/** Every call in the order in which it was answered. */
export class Ledger {
  readonly #entries: LedgerEntry[];
  #sequence: number;

  private constructor(
    readonly file: string | undefined,
    entries: LedgerEntry[],
  ) {
    this.#entries = entries;
    this.#sequence = entries.at(-1)?.sequence ?? 0;
  }

  /** Opens the ledger of a state directory, or one that lives in memory only. */
  static async open(file: string | undefined): Promise<Ledger> {
    const text = (file === undefined ? undefined : await readIfPresent(file)) ?? "";
    return new Ledger(
      file,
      text
        .split("\n")
        .flatMap((line) => parseEntry(line) ?? [])
        .slice(-KEPT_IN_MEMORY),
    );
  }

  /** Writes a call down. */
  record(entry: Omit<LedgerEntry, "sequence">): LedgerEntry {
    const made = { sequence: ++this.#sequence, ...entry };
    this.#entries.push(made);
    if (this.#entries.length > KEPT_IN_MEMORY) this.#entries.shift();
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(made)}\n`, { mode: 0o600 });
    return made;
  }

  /** What was written down after a sequence number, all by default. */
  entries(after = 0): readonly LedgerEntry[] {
    return this.#entries.filter(({ sequence }) => sequence > after);
  }
}

// An allow list, so that a parameter that nobody thought of stays out: user data, values and plaintext never match.
const NAMING =
  /(^|\.)(\w*(Id|Ids|Arn|ARNs|Name|Names)|Bucket|Key|name|associationId|Device)(\.(member\.)?\d+)?$/;
const NOT_NAMING = /^(ClientToken|Tag|Filter|TagSpecification|Attribute|PublicKeyMaterial)|AccessKeyId|Token/;
const EC2_ID =
  /\b(?:i|vol|eni|subnet|vpc|sg|igw|nat|rtb|rtbassoc|eipalloc|eipassoc|lt|snap|fl|vpce|ami|r|sgr|key)-[0-9a-f]{8,17}\b/g;
const ARN = /\barn:aws(?:-cn|-us-gov)?:[a-z0-9-]+:[a-z0-9-]*:\d{12}:[\w/:.+=@-]+/g;

/** The ids and names that a call holds. */
export function namesIn(call: Pick<Call, "parameters">): string[] {
  return unique(
    Object.entries(call.parameters)
      .filter(([name]) => NAMING.test(name) && !NOT_NAMING.test(name))
      .flatMap(([, value]): unknown[] => (Array.isArray(value) ? value : [value]))
      .filter((value): value is string => typeof value === "string" && value.length <= 256),
  );
}

/** The ids in an answer of a service whose answers to changes hold no secrets in the form of ids. */
export function idsIn(body: string): string[] {
  return unique([...(body.match(EC2_ID) ?? []), ...(body.match(ARN) ?? [])]);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

// A line that was cut off by a crash is left out.
function parseEntry(line: string): LedgerEntry | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const [sequence, durationMs] = [numberAt(value, "sequence"), numberAt(value, "durationMs")];
  const texts = ["time", "service", "action", "region", "result"].map((name) => textAt(value, name) ?? "");
  const [time = "", service = "", action = "", region = "", result = ""] = texts;
  if (sequence === undefined || durationMs === undefined) return undefined;
  const ids = Array.isArray(value.ids) ? value.ids.filter((id): id is string => typeof id === "string") : [];
  const by = textAt(value, "answeredBy");
  const base = {
    sequence,
    time,
    service,
    action,
    region,
    mutating: value.mutating === true,
    ids,
    result,
    durationMs,
  };
  return by === undefined ? base : { ...base, answeredBy: by };
}
