import type { ApiClient } from "../../../controllers/runtime";

/** A kind of request as the API server counts it. */
export interface RequestKind {
  verb: string;
  group: string;
  resource: string;
  subresource: string;
  /** Of the answer. */
  code: string;
}

/** How often the API server was asked what, since it started. It counts for everyone, itself included. */
export type RequestCounts = ReadonlyMap<string, { kind: RequestKind; count: number }>;

/** Reads the API server's own counters. */
export async function requestCounts(client: ApiClient): Promise<RequestCounts> {
  const counts = new Map<string, { kind: RequestKind; count: number }>();
  const text = await client.text({ method: "GET", path: "/metrics" });
  for (const [, labels = "", value = ""] of text.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const kind = {
      verb: label("verb"),
      group: label("group"),
      resource: label("resource"),
      subresource: label("subresource"),
      code: label("code"),
    };
    const key = Object.values(kind).join(" ");
    counts.set(key, { kind, count: (counts.get(key)?.count ?? 0) + Number(value) });
  }
  return counts;
}

/** What was asked between two looks, of those kinds that are chosen. */
export function requestsBetween(
  before: RequestCounts,
  after: RequestCounts,
  chosen: (kind: RequestKind) => boolean,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const [key, { kind, count }] of after) {
    const more = count - (before.get(key)?.count ?? 0);
    if (more > 0 && chosen(kind)) found.set(key, more);
  }
  return found;
}

/** The sum of a map's values. */
export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Whether a request changes something, other than a lease, with which everybody says that he lives. */
export function isWrite({ verb, resource }: RequestKind): boolean {
  return (
    ["POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"].includes(verb) && resource !== "leases"
  );
}
