// Reads one HTTP/1.1 answer out of the bytes of a connection, strictly: what it does not know is an error.

/** The beginning of an answer. */
export interface ResponseHead {
  status: number;
  headers: ResponseHeaders;
}

/** The headers of an answer. Of the dozen that a server sends hardly any is read, so they are looked up in the text. */
export class ResponseHeaders {
  readonly #text: string;

  /** The text begins with another line and has no line end at its own. */
  constructor(text: string) {
    this.#text = text;
    if (HEADER_LINES.test(text)) return;
    const wrong = text
      .split(LINE_END)
      .find((line, index) => index > 0 && !HEADER_LINES.test(`${LINE_END}${line}`));
    throw new Error(`The answer has the header ${JSON.stringify((wrong ?? text).slice(0, 80))}.`);
  }

  /** The values of a header, whose name is given in lower case. */
  get(name: string): string | undefined {
    const pattern = patternOf(name);
    pattern.lastIndex = 0;
    let values: string | undefined;
    for (let found = pattern.exec(this.#text); found !== null; found = pattern.exec(this.#text)) {
      const value = (found[1] ?? "").trim();
      values = values === undefined ? value : `${values}, ${value}`;
    }
    return values;
  }
}

const PATTERNS = new Map<string, RegExp>();

function patternOf(name: string): RegExp {
  let pattern = PATTERNS.get(name);
  if (pattern === undefined) {
    pattern = new RegExp(`\\r\\n${name}:([^\\r]*)`, "gi");
    PATTERNS.set(name, pattern);
  }
  return pattern;
}

/** Takes in an answer as it comes. */
export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** A part of the body. The memory is good until the next part. */
  onBody(part: Buffer): void;
}

const MAX_HEAD_BYTES = 64 * 1024;
const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?=[ \r]|$)/;
const HEADER_LINES = /^[^\r\n\0]*(?:\r\n[!#$%&'*+.^`|~\w-]+:[^\r\n\0]*)*$/;
const LENGTH = /^\d{1,15}$/;
const CHUNK_SIZE = /^([\da-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?$/;

/** What comes next on the wire. */
type Next =
  "head" | "body" | "chunk size" | "chunk" | "chunk end" | "trailers" | "body until the end" | "nothing";

/** A parser of one answer. */
export class ResponseParser {
  readonly #sink: ResponseSink;
  #next: Next = "head";
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  /** The beginning of a line or head whose end has not arrived. */
  #held: Buffer | undefined;
  #keepsConnection = false;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Whether the connection can carry another request, once the answer is whole. */
  get keepsConnection(): boolean {
    return this.#keepsConnection;
  }

  /** Takes in what arrived. Says whether the answer is whole. */
  take(arrived: Buffer): boolean {
    let rest = this.#held === undefined ? arrived : Buffer.concat([this.#held, arrived]);
    this.#held = undefined;
    while (rest.length > 0) {
      const used = this.#step(rest);
      if (used === 0) {
        if (rest.length > MAX_HEAD_BYTES) throw new Error("The answer begins with more than it should.");
        this.#held = rest;
        break;
      }
      rest = rest.subarray(used);
    }
    return this.#next === "nothing";
  }

  /** The other side ended the connection. Says whether the answer is whole. */
  end(): boolean {
    if (this.#next === "body until the end") this.#next = "nothing";
    return this.#next === "nothing";
  }

  /** Reads the next thing, if all of it is there. Gives how many bytes it had. */
  #step(rest: Buffer): number {
    switch (this.#next) {
      case "head":
        return this.#head(rest);
      case "body":
      case "chunk":
        return this.#body(rest);
      case "body until the end":
        this.#sink.onBody(rest);
        return rest.length;
      case "nothing":
        throw new Error("The answer goes on after its end.");
      case "chunk size":
      case "chunk end":
      case "trailers":
        return this.#line(rest);
    }
  }

  #head(rest: Buffer): number {
    const end = rest.indexOf(HEAD_END, 0, "latin1");
    if (end === -1) return 0;
    const text = rest.toString("latin1", 0, end);
    const [, minor, code] = STATUS_LINE.exec(text) ?? [];
    if (code === undefined) throw new Error(`The answer begins with ${JSON.stringify(firstLine(text))}.`);
    const status = Number(code);
    if (status === 101) throw new Error("The answer changes to another protocol.");
    // "Wait": the answer itself is still to come.
    if (status >= 200) {
      const headers = new ResponseHeaders(text);
      this.#next = this.#bodyAfter(status, headers);
      const ends = headers.get("connection")?.toLowerCase().includes("close") ?? false;
      this.#keepsConnection = minor === "1" && this.#next !== "body until the end" && !ends;
      this.#sink.onHead({ status, headers });
    }
    return end + HEAD_END.length;
  }

  #bodyAfter(status: number, headers: ResponseHeaders): Next {
    const encoding = headers.get("transfer-encoding");
    const length = headers.get("content-length");
    if (status === 204 || status === 304) return "nothing";
    if (encoding !== undefined) {
      // Two lengths in one answer are how one answer is passed off as two.
      if (encoding.toLowerCase() !== "chunked" || length !== undefined)
        throw new Error(`The answer has the transfer encoding ${JSON.stringify(encoding)}.`);
      return "chunk size";
    }
    if (length === undefined) return "body until the end";
    if (!LENGTH.test(length)) throw new Error(`The answer has the length ${JSON.stringify(length)}.`);
    this.#left = Number(length);
    return this.#left === 0 ? "nothing" : "body";
  }

  #body(rest: Buffer): number {
    const used = Math.min(rest.length, this.#left);
    this.#sink.onBody(used === rest.length ? rest : rest.subarray(0, used));
    this.#left -= used;
    if (this.#left === 0) this.#next = this.#next === "chunk" ? "chunk end" : "nothing";
    return used;
  }

  #line(rest: Buffer): number {
    const end = rest.indexOf(LINE_END, 0, "latin1");
    if (end === -1) return 0;
    const line = rest.toString("latin1", 0, end);
    if (this.#next === "chunk size") {
      const size = CHUNK_SIZE.exec(line)?.[1];
      if (size === undefined) throw new Error(`A chunk has the size ${JSON.stringify(line.slice(0, 80))}.`);
      this.#left = parseInt(size, 16);
      this.#next = this.#left === 0 ? "trailers" : "chunk";
    } else if (this.#next === "chunk end") {
      if (line !== "") throw new Error("A chunk is longer than its size.");
      this.#next = "chunk size";
    } else if (line === "") this.#next = "nothing";
    return end + LINE_END.length;
  }
}

function firstLine(text: string): string {
  return text.slice(0, 80).split(LINE_END)[0] ?? "";
}
