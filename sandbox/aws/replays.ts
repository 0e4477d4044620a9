// Answers that are given again to a call that is repeated after a crash, so that nothing is made twice.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { z } from "zod";
import { readIfPresent, writePrivate } from "../../lib/files";
import { parseJson } from "../../lib/json";
import type { RawAnswer } from "./backend";
import type { Call } from "./call";

const entry = z.object({
  key: z.string(),
  status: z.number(),
  type: z.string().optional(),
  body: z.string(),
});

/** Enough for the calls that were under way when something was killed. */
const KEPT = 2_000;
const HEADER = "x-fleetwright-creation";

/**
 * Answers of calls that belong to a creation. Whoever asked and was killed before it heard the answer asks again with the
 * same token, and gets the same answer instead of a second resource, or of a refusal because of the first.
 */
export class Replays {
  readonly #answers = new Map<string, z.infer<typeof entry>>();

  private constructor(private readonly file: string | undefined) {}

  /** Reads what was answered before. Without a file nothing outlives the process. */
  static async open(file: string | undefined): Promise<Replays> {
    const replays = new Replays(file);
    const text = file === undefined ? undefined : await readIfPresent(file);
    const lines = (text ?? "").split("\n").slice(-KEPT);
    for (const line of lines) {
      // The last line may have been cut by the kill itself.
      const parsed = entry.safeParse(parseJson(line));
      if (parsed.success) replays.#answers.set(parsed.data.key, parsed.data);
    }
    if (file !== undefined) {
      const kept = [...replays.#answers.values()].map((known) => `${JSON.stringify(known)}\n`);
      await writePrivate(file, kept.join(""));
    }
    return replays;
  }

  /** The answer that this very call got before. */
  find(call: Call): RawAnswer | undefined {
    const known = this.#answers.get(keyOf(call) ?? "");
    if (known === undefined) return undefined;
    const headers = known.type === undefined ? {} : { "content-type": known.type };
    return { status: known.status, headers, body: Buffer.from(known.body, "base64") };
  }

  /** Notes the answer of a call that was carried out. */
  note(call: Call, answer: RawAnswer): void {
    const key = keyOf(call);
    if (key === undefined) return;
    const type = answer.headers["content-type"];
    const noted = {
      ...{ key, status: answer.status, body: answer.body.toString("base64") },
      ...(type === undefined ? {} : { type }),
    };
    this.#answers.set(key, noted);
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(noted)}\n`, { mode: 0o600 });
  }
}

// Tokens that the SDK makes up for a single call differ from attempt to attempt.
function keyOf({ raw, service, action, mutating }: Call): string | undefined {
  const token = raw.headers[HEADER];
  if (!mutating || typeof token !== "string" || token === "") return undefined;
  const body = raw.body.toString("latin1").replace(/ClientToken=[^&]*/g, "");
  const digest = createHash("sha256").update(`${raw.method} ${raw.target} ${body}`).digest("hex");
  return `${token} ${service}:${action} ${digest.slice(0, 16)}`;
}
