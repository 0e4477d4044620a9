import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "./value";

/** What is known of a creation whose end the engine may not have seen. */
export interface Creation {
  /** The client token: AWS answers the same token with the same resource. */
  readonly token: string;
  /** A digest of the inputs. */
  readonly inputs: string;
  /** The id, once AWS has given one. */
  readonly id?: string;
  /** The name that was made up for it: the next attempt asks for the same one. */
  readonly name?: string;
}

/**
 * The creations under way, one small file each. The engine writes a resource into its state only after the provider
 * has answered: when it is killed before that, nobody would know that the resource exists. The next creation for the
 * same URN finds it here and goes on with it.
 */
export class Journal {
  private readonly finished = new Set<string>();
  private readonly uncertain = new Set<string>();
  private kept = false;

  constructor(private readonly directory: string) {}

  /** Notes that a creation begins. Gives the note of an earlier one that was interrupted, if there is one. */
  begin(urn: string, inputs: string, name?: string): { creation: Creation; interrupted: boolean } {
    const earlier = this.find(urn);
    if (earlier !== undefined && !this.finished.has(urn)) {
      if (earlier.id !== undefined || earlier.inputs === inputs)
        return { creation: earlier, interrupted: true };
    }
    this.uncertain.delete(urn);
    const creation = { token: randomUUID(), inputs, ...(name === undefined ? {} : { name }) };
    this.write(urn, creation);
    return { creation, interrupted: false };
  }

  /** The name that was made up for a creation that did not end. */
  pendingName(urn: string): string | undefined {
    return this.finished.has(urn) ? undefined : this.find(urn)?.name;
  }

  /** Notes the id, so that from here on nothing can be lost. */
  started(urn: string, creation: Creation, id: string): void {
    this.write(urn, { ...creation, id });
  }

  /** Notes that the engine has been answered; the note goes when the engine shows that it has understood. */
  answered(urn: string): void {
    this.finished.add(urn);
    // The engine writes its state at once; two seconds later a note could only mislead.
    setTimeout(() => this.forget(urn), 2_000).unref();
  }

  /** Keeps one note over the end of this process: its creation may or may not have happened. */
  keepNote(urn: string): void {
    this.uncertain.add(urn);
  }

  /** Keeps every note from now on: the engine is gone, and nobody knows what it has written down. */
  keep(): void {
    this.kept = true;
  }

  /** Forgets a creation. */
  forget(urn: string): void {
    if (this.kept || this.uncertain.has(urn)) return;
    if (this.finished.delete(urn)) rmSync(this.file(urn), { force: true });
  }

  /** Forgets, on an orderly exit of the provider, all creations that were reported to the engine. */
  close(): void {
    for (const urn of [...this.finished]) this.forget(urn);
  }

  /** Takes a note away because what it speaks of is gone. */
  discard(urn: string): void {
    this.finished.delete(urn);
    rmSync(this.file(urn), { force: true });
  }

  private find(urn: string): Creation | undefined {
    try {
      const note: unknown = JSON.parse(readFileSync(this.file(urn), "utf8"));
      if (!isRecord(note)) return undefined;
      const { token, inputs, id, name } = note;
      if (typeof token !== "string" || typeof inputs !== "string") return undefined;
      return {
        ...{ token, inputs },
        ...(typeof id === "string" ? { id } : {}),
        ...(typeof name === "string" ? { name } : {}),
      };
    } catch {
      return undefined;
    }
  }

  private write(urn: string, creation: Creation): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    writeFileSync(this.file(urn), JSON.stringify(creation), { mode: 0o600 });
  }

  private file(urn: string): string {
    return join(this.directory, `${createHash("sha256").update(urn).digest("hex").slice(0, 32)}.json`);
  }
}
