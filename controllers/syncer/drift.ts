// How often what others change in a member is changed back: at once the first time, then ever more rarely.
import type { Clock } from "../runtime";

const FIRST_WAIT_MS = 60_000;
const MAX_WAIT_MS = 30 * 60_000;
const QUIET_MS = 60 * 60_000;

/** How it stands with changes that others make to one object. */
export interface Fight {
  healed: number;
  /** Who changed it last, as managed fields name them. */
  managers: readonly string[];
  fields: readonly string[];
  at: number;
}

/** Remembers, for each object, who changed what and how often it was changed back. */
export class DriftRecord {
  readonly #clock: Clock;
  readonly #fights = new Map<string, Fight>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the next change back has to wait; 0 for not at all. */
  waitMs(key: string): number {
    const fight = this.current(key);
    if (fight === undefined) return 0;
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, fight.healed - 1));
    return Math.max(0, fight.at + wait - this.#clock.monotonic());
  }

  /** The fight over an object; undefined if there was none for an hour. */
  current(key: string): Fight | undefined {
    const fight = this.#fights.get(key);
    if (fight !== undefined && this.#clock.monotonic() - fight.at > QUIET_MS) this.#fights.delete(key);
    return this.#fights.get(key);
  }

  /** When a fight will be forgotten. */
  quietInMs(key: string): number | undefined {
    const fight = this.current(key);
    return fight === undefined
      ? undefined
      : Math.max(1000, fight.at + QUIET_MS + 1 - this.#clock.monotonic());
  }

  /** It was changed back. */
  healed(key: string, managers: readonly string[], fields: readonly string[]): void {
    const healed = (this.current(key)?.healed ?? 0) + 1;
    this.#fights.set(key, { healed, managers, fields, at: this.#clock.monotonic() });
  }

  forget(key: string): void {
    this.#fights.delete(key);
  }
}
