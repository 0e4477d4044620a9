// How soon the files of a login are looked at again when they are changed over and over.
import type { Clock } from "../../runtime";

/** So many restorations are made at once; whoever goes on has to wait. */
const AT_ONCE = 5;
const FIRST_DELAY_MS = 250;
/** The longest that a change by a login to its own files stands. */
const MAX_DELAY_MS = 5000;
/** Without a change for this long, all is forgotten. */
const QUIET_MS = 60_000;

interface Suspect {
  count: number;
  at: number;
  cancel: (() => void) | undefined;
}

/**
 * Holds back passes for logins that change their own files in a loop: each restoration costs the node work, and its log a
 * line. A change of the User itself is never held back.
 */
export class Tampering {
  readonly #clock: Clock;
  readonly #look: (login: string) => void;
  readonly #suspects = new Map<string, Suspect>();

  /** `look` has a login looked at. */
  constructor(clock: Clock, look: (login: string) => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** To be called when a change by a login was undone. */
  undone(login: string): void {
    const known = this.#recent(login);
    if (known === undefined)
      this.#suspects.set(login, { count: 1, at: this.#clock.monotonic(), cancel: undefined });
    else {
      known.count += 1;
      known.at = this.#clock.monotonic();
    }
  }

  /** To be called when files of a login were touched: has it looked at, now or after a while. */
  touched(login: string): void {
    const known = this.#recent(login);
    if (known === undefined || known.count < AT_ONCE) {
      this.#look(login);
      return;
    }
    known.cancel ??= this.#clock.schedule(delayAfter(known.count), () => {
      known.cancel = undefined;
      this.#look(login);
    });
  }

  /** To be called when logins are gone. */
  keep(logins: ReadonlySet<string>): void {
    for (const [login, { cancel }] of this.#suspects) {
      if (logins.has(login)) continue;
      cancel?.();
      this.#suspects.delete(login);
    }
  }

  close(): void {
    this.keep(new Set());
  }

  #recent(login: string): Suspect | undefined {
    const known = this.#suspects.get(login);
    if (known === undefined || this.#clock.monotonic() - known.at < QUIET_MS) return known;
    known.cancel?.();
    this.#suspects.delete(login);
    return undefined;
  }
}

/** How long a login waits that has been restored so often. */
export function delayAfter(count: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, count - AT_ONCE));
}
