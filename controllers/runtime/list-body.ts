// Parses the body of a list in batches, so that a large one does not fill the heap.

const BATCH_BYTES = 64 * 1024;
const MAX_PREFIX_BYTES = 512;
const CANDIDATES = 8;
const ITEMS = '"items":[';
const METADATA = '"metadata":{';

/**
 * Parses the body of a list, as `JSON.parse` would, but some dozens of items at a time.
 *
 * The text of a whole page is too long for the young part of V8's heap: it would stay in the old part until the next
 * full collection, and many pages would pile up there, as large together as everything that the cache keeps. It would
 * take as long; it would take twice the memory.
 */
export function parseListBody(body: Buffer): unknown {
  return parseInBatches(body) ?? JSON.parse(body.toString("utf8"));
}

/** Gives undefined for whatever is not the kind of list that can be cut into batches. */
function parseInBatches(body: Buffer): object | undefined {
  if (body.length < 2 * BATCH_BYTES) return undefined;
  // Before the items stand only the kind, the version and a few words about the list. None of them has such a key, and
  // inside a text the quotes would be escaped.
  const key = body.subarray(0, 4096).indexOf(ITEMS);
  if (key === -1) return undefined;
  const first = key + ITEMS.length;
  const separator = separatorOf(body, first);
  if (separator === undefined) return undefined;
  try {
    const items: unknown[] = [];
    let start = first;
    for (let batch; (batch = nextBatch(body, start, separator)) !== undefined; start = batch.next) {
      for (const item of batch.items) items.push(item);
    }
    const head: unknown = JSON.parse(`${body.toString("utf8", 0, first)}]}`);
    const rest: unknown = JSON.parse(`{${ITEMS}${body.toString("utf8", start)}`);
    if (!hasItems(head) || !hasItems(rest)) return undefined;
    for (const item of rest.items) items.push(item);
    // Lists of custom resources have their metadata behind the items.
    return { ...head, ...rest, items };
  } catch {
    // Not what it looked like: the whole text says whether it is JSON at all.
    return undefined;
  }
}

// The end of one item and the beginning of the next, if all begin like the first one: those of one kind do.
function separatorOf(body: Buffer, first: number): Buffer | undefined {
  const mark = body.subarray(first, first + MAX_PREFIX_BYTES).indexOf(METADATA);
  if (mark === -1) return undefined;
  return Buffer.concat([Buffer.from("},"), body.subarray(first, first + mark + METADATA.length)]);
}

function nextBatch(
  body: Buffer,
  start: number,
  separator: Buffer,
): { items: unknown[]; next: number } | undefined {
  let end = start + BATCH_BYTES;
  for (let candidate = 0; candidate < CANDIDATES; candidate++) {
    end = body.indexOf(separator, end);
    if (end === -1) return undefined;
    end += 1;
    // An item may hold a list of things that begin as itself does. A cut in there leaves brackets open, which no JSON
    // parser lets pass; so a batch that parses was cut between items.
    const items = parseArray(body.toString("utf8", start, end));
    if (items !== undefined) return { items, next: end + 1 };
  }
  throw new SyntaxError("no place to cut was found");
}

function parseArray(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(`[${text}]`);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function hasItems(value: unknown): value is { items: unknown[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items);
}
