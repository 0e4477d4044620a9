// Why a field or a cluster fell out, so that a person can see it: the path, the rule, what each says, and a document.
import type { Difference } from "../../api";
import { documentsAt } from "./example";
import type { Loss, Side } from "./loss";
import type { Meet } from "./meet";
import { canonical, text, type Schema } from "./schema";
import { accepts } from "./validate";

/** A loss with a document that one side accepts and all together do not. */
export interface Explanation extends Loss {
  /** Whose document it is: a side that accepts it. */
  by?: string;
  document?: unknown;
}

/** Documents that are tried for one loss; what is deep in branches is left without one. */
const MAX_TRIED = 300;

/** Each loss with a document that is now refused, where one can be made. */
export function explain(sides: readonly Side[], { schema, losses }: Meet): Explanation[] {
  const own = new Map(sides.map((side) => [side.name, canonical(side.schema)]));
  return losses.map((loss) => {
    if (loss.effect === "Note") return loss;
    for (const name of loss.losers) {
      const side = own.get(name);
      const document = side === undefined ? undefined : refused(side, schema, loss, [...own.values()]);
      if (document !== undefined) return { ...loss, by: name, document };
    }
    return loss;
  });
}

// Where nothing fits at all, any document shows it that another side refuses.
function refused(side: Schema, all: Schema | undefined, { path }: Loss, sides: readonly Schema[]): unknown {
  let tried = 0;
  for (const document of documentsAt(side, path)) {
    if (++tried > MAX_TRIED) return undefined;
    if (!accepts(side, document)) continue;
    if (all === undefined ? sides.some((other) => !accepts(other, document)) : !accepts(all, document))
      return document;
  }
  return undefined;
}

/** What stands against one cluster, or what it lost, as its import's status has it. */
export function differencesOf(cluster: string, explanations: readonly Explanation[]): Difference[] {
  return explanations
    .filter((one) => one.losers.includes(cluster) || (one.effect === "Note" && cluster in one.values))
    .map((one) => difference(one, cluster));
}

/** A difference as status has it; seen from a cluster, or from nobody. */
export function difference(one: Explanation, cluster?: string): Difference {
  const others = Object.entries(one.values).filter(([name]) => name !== cluster);
  const here = cluster === undefined ? undefined : one.values[cluster];
  const document = one.by === cluster || cluster === undefined ? one.document : undefined;
  return {
    path: cut(one.path, 1024),
    rule: one.rule,
    effect: one.effect,
    ...(here === undefined ? {} : { here: cut(here, 1024) }),
    ...(others.length === 0
      ? {}
      : { there: cut(others.map(([name, value]) => `${name}: ${value}`).join("; "), 2048) }),
    ...(document === undefined ? {} : { refused: cut(text(document), 4096) }),
  };
}

const cut = (value: string, length: number): string =>
  value.length > length ? `${value.slice(0, length - 1)}…` : value;
