// Lists a resource in pages whose size follows the size of the objects.
import type { ApiClient, Query } from "./api-client";
import { ApiError, ConnectionError, isExpired } from "./api-error";
import { parseListBody } from "./list-body";
import { PageBuffer } from "./page-buffer";
import { isObject, resourcePath, type KubernetesObject, type Resource } from "./object";

/** Which objects of a resource are meant. */
export interface Selection {
  /** All namespaces if not given. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  resourceVersion: string;
}

interface RawPage {
  metadata: { resourceVersion: string; continue?: string };
  items: unknown[] | null;
}

/** The parameters of a selection. */
export function selectionQuery({ labelSelector, fieldSelector }: Selection): Query {
  return { labelSelector, fieldSelector };
}

/**
 * Lists in pages that grow, each handed out as it comes. While one page is still on its way the next one is asked for, because
 * its token stands at the head of the page: the server is then never idle. Gives the version of the whole list.
 *
 * A token that expires half-way cannot be resumed; the list is then taken again in one piece, and `restart` tells the
 * receiver to forget the pages before.
 */
export async function listInPages<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  selection: Selection,
  receiver: { page(items: T[]): void; restart(): void },
  { pageSize, signal }: { pageSize: number; signal: AbortSignal },
): Promise<string> {
  try {
    return await readPages(client, resource, selection, receiver, { pageSize, signal });
  } catch (error) {
    if (!isExpired(error)) throw error;
    receiver.restart();
    return readPages(client, resource, selection, receiver, { pageSize: 0, signal });
  }
}

async function readPages<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  selection: Selection,
  receiver: { page(items: T[]): void },
  { pageSize, signal }: { pageSize: number; signal: AbortSignal },
): Promise<string> {
  const path = resourcePath(resource, selection);
  const giveUp = new AbortController();
  const spare: PageBuffer[] = [];
  const size = new PageSize(pageSize);
  const ask = (token: string | undefined): Pending => {
    const into = spare.pop() ?? new PageBuffer();
    const pending: Pending = { token, into, nextToken: undefined, body: NOTHING, onToken: () => {} };
    pending.body = client.bytes({
      method: "GET",
      path,
      query: { ...selectionQuery(selection), limit: pageSize === 0 ? undefined : size.next, continue: token },
      onHead: (head) => {
        pending.nextToken = tokenIn(head);
        pending.onToken();
      },
      into,
      signal: AbortSignal.any([signal, giveUp.signal]),
    });
    // Heard when its turn comes; until then a failure must not count as unhandled.
    pending.body.catch(() => {});
    return pending;
  };
  try {
    for (let pending = ask(undefined); ;) {
      let ahead: Pending | undefined;
      // One ahead and no more: else all pages would be on their way at once, and in memory.
      pending.onToken = () => {
        if (pending.nextToken !== undefined) ahead ??= ask(pending.nextToken);
      };
      pending.onToken();
      const body = await pending.body;
      const page = parsePage<T>(body, `GET ${path}`);
      size.took(page.items.length, body.length);
      spare.push(pending.into);
      receiver.page(page.items);
      if (page.token === undefined) return page.resourceVersion;
      // The token of a retried page may be another one than that of the page that failed. What was asked for too early
      // is then left alone, with its buffer.
      pending = ahead?.token === page.token ? ahead : ask(page.token);
    }
  } finally {
    giveUp.abort();
  }
}

/** The largest page, estimated from the pages before. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * How many objects to ask for at once. The server goes through all that is left for every page, so that a long list in
 * short pages takes it a time that grows with the square of the length: pages grow as the list does, and are bounded by
 * the memory that they take.
 */
export class PageSize {
  #items = 0;
  #bytes = 0;

  constructor(readonly first: number) {}

  /** To be called for every page received. */
  took(items: number, bytes: number): void {
    this.#items += items;
    this.#bytes += bytes;
  }

  get next(): number {
    if (this.#items === 0) return this.first;
    const grown = Math.max(this.first, Math.floor(this.#items / 4));
    return Math.max(1, Math.min(grown, Math.floor((MAX_PAGE_BYTES * this.#items) / this.#bytes)));
  }
}

const NOTHING = Promise.resolve(Buffer.alloc(0));

interface Pending {
  token: string | undefined;
  /** Where the page after this one begins, as soon as it is known. */
  nextToken: string | undefined;
  onToken: () => void;
  into: PageBuffer;
  body: Promise<Buffer>;
}

function tokenIn(head: string): string | undefined {
  const items = head.indexOf('"items":');
  if (items === -1) return undefined;
  return /"continue":"([^"\\]+)"/.exec(head.slice(0, items))?.[1];
}

function parsePage<T extends KubernetesObject>(
  body: Buffer,
  what: string,
): Page<T> & { token: string | undefined } {
  let parsed: unknown;
  try {
    parsed = parseListBody(body);
  } catch (error) {
    throw new ConnectionError(`${what} was answered with what is not JSON.`, "ERR_NOT_JSON", {
      cause: error,
    });
  }
  if (!isRawPage(parsed)) throw new ApiError(what, 200, { message: "the answer is not a list" });
  const token = parsed.metadata.continue;
  return {
    items: objectsOf<T>(parsed.items ?? [], what),
    resourceVersion: parsed.metadata.resourceVersion,
    token: token === "" ? undefined : token,
  };
}

function objectsOf<T extends KubernetesObject>(items: unknown[], what: string): T[] {
  for (const item of items) {
    if (!isObject(item)) throw new ApiError(what, 200, { message: "the list has an item without a name" });
  }
  return items as T[];
}

function isRawPage(value: unknown): value is RawPage {
  if (typeof value !== "object" || value === null || !("metadata" in value) || !("items" in value))
    return false;
  const { metadata, items } = value;
  return (
    typeof metadata === "object" &&
    metadata !== null &&
    "resourceVersion" in metadata &&
    typeof metadata.resourceVersion === "string" &&
    (items === null || Array.isArray(items))
  );
}
