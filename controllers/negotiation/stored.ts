// What a meet may not do: narrow a published schema so that an object that is stored breaks it.
import type { Side } from "./loss";
import { meet, type Meet } from "./meet";
import { publishable } from "./publishable";
import type { Schema } from "./schema";
import { violations, type Violation } from "./validate";

/** An object that is stored on the hub. */
export interface Stored {
  /** `namespace/name`, or the name. */
  key: string;
  object: unknown;
}

/** A cluster that was left out, and why. */
export interface LeftOut {
  name: string;
  /** Nothing fits it and the others, or objects that are stored would break. */
  reason: "Incompatible" | "StoredObjects";
  meet: Meet;
  /** At most three objects that stand against it, each with the first thing that is wrong. */
  objects: readonly { key: string; violation: Violation }[];
}

/** What is agreed on, by whom, and who was left out. */
export interface Agreement {
  meet: Meet;
  /** The schema as a definition can have it; undefined if there is none. */
  schema?: Schema;
  compatible: readonly Side[];
  leftOut: readonly LeftOut[];
}

const SHOWN = 3;

/**
 * The meet of all sides that go together with what is stored. Those that agreed before come first, so that a newcomer never pushes
 * out a member; otherwise the names decide, so that the result does not depend on the order of events.
 */
export function agreement(
  sides: readonly Side[],
  stored: readonly Stored[],
  agreedBefore: readonly string[] = [],
): Agreement {
  const rank = ({ name }: Side): number => (agreedBefore.includes(name) ? 0 : 1);
  const ordered = [...sides].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  // Mostly all go together, which is found out at once.
  const whole = meet(ordered);
  const wholeSchema = whole.schema && publishable(whole.schema);
  if (wholeSchema !== undefined && broken(wholeSchema, stored).length === 0)
    return { meet: whole, schema: wholeSchema, compatible: ordered, leftOut: [] };

  let [best, schema]: [Meet, Schema | undefined] = [{ losses: [] }, undefined];
  const compatible: Side[] = [];
  const leftOut: LeftOut[] = [];
  for (const side of ordered) {
    const attempt = meet([...compatible, side]);
    const triedSchema = attempt.schema && publishable(attempt.schema);
    const objects = triedSchema === undefined ? [] : broken(triedSchema, stored);
    if (triedSchema !== undefined && objects.length === 0) {
      compatible.push(side);
      [best, schema] = [attempt, triedSchema];
    } else
      leftOut.push({
        name: side.name,
        reason: triedSchema === undefined ? "Incompatible" : "StoredObjects",
        meet: attempt,
        objects,
      });
  }
  return { meet: best, ...(schema === undefined ? {} : { schema }), compatible, leftOut };
}

function broken(schema: Schema, stored: readonly Stored[]): { key: string; violation: Violation }[] {
  const found: { key: string; violation: Violation }[] = [];
  for (const { key, object } of stored) {
    const [violation] = violations(schema, object, "", true);
    if (violation !== undefined) found.push({ key, violation });
    if (found.length === SHOWN) break;
  }
  return found;
}
