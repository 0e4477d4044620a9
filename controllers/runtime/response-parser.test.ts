import { ResponseParser, type ResponseHead } from "./response-parser";

interface Read {
  status: number;
  audit: string | undefined;
  body: string;
  whole: boolean;
  keepsConnection: boolean;
}

/** What is read of an answer that comes in parts, after which the other side ends the connection if it is to. */
function read(parts: readonly string[], { ends = false } = {}): Read {
  let head: ResponseHead | undefined;
  let body = "";
  const parser = new ResponseParser({
    onHead: (found) => (head = found),
    onBody: (part) => (body += part.toString("latin1")),
  });
  let whole = false;
  for (const part of parts) whole = parser.take(Buffer.from(part, "latin1"));
  if (ends) whole = parser.end();
  const { status = 0, headers } = head ?? {};
  const audit = headers?.get("audit-id");
  return { status, audit, body, whole, keepsConnection: parser.keepsConnection };
}

const OK = "HTTP/1.1 200 OK\r\n";

test.each([
  ["of a stated length", `${OK}Content-Length: 3\r\nAudit-ID:  x \r\n\r\nabc`, { body: "abc", audit: "x" }],
  ["without a body", `${OK}Content-Length: 0\r\n\r\n`, { body: "" }],
  ["that has none by its status", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "" }],
  [
    "in chunks",
    `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n`,
    { body: "abc0123456789" },
  ],
  [
    "in chunks with trailers",
    `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nExpires: 0\r\n\r\n`,
    { body: "a" },
  ],
  [
    "after a word to wait",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na`,
    { status: 201, body: "a" },
  ],
  [
    "whose connection ends",
    `${OK}Connection: close\r\nContent-Length: 1\r\n\r\na`,
    { body: "a", keepsConnection: false },
  ],
  [
    "of an old proxy",
    `HTTP/1.0 502 Bad Gateway\r\nContent-Length: 1\r\n\r\na`,
    { status: 502, body: "a", keepsConnection: false },
  ],
  [
    "with a header twice",
    `${OK}Audit-Id: a\r\nX-Audit-Id: x\r\naudit-id:b\r\nContent-Length: 0\r\n\r\n`,
    { audit: "a, b" },
  ],
])("an answer %s is read, however it is cut into parts", (_, text, expected) => {
  const whole = { status: 200, whole: true, keepsConnection: true, ...expected };
  expect(read([text])).toMatchObject(whole);
  expect(read(Array.from(text))).toMatchObject(whole);
  for (let cut = 1; cut < text.length; cut++)
    expect(read([text.slice(0, cut), text.slice(cut)])).toMatchObject(whole);
});

test("an answer without a length ends with the connection", () => {
  expect(read([`${OK}\r\nab`, "c"])).toMatchObject({ body: "abc", whole: false });
  expect(read([`${OK}\r\nab`, "c"], { ends: true })).toMatchObject({
    body: "abc",
    whole: true,
    keepsConnection: false,
  });
});

test.each([
  ["a length", `${OK}Content-Length: 4\r\n\r\nabc`],
  ["chunks", `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`],
  ["half a head", `${OK}Content-Le`],
])("an answer with %s that is cut is not whole", (_, text) => {
  expect(read([text], { ends: true }).whole).toBe(false);
});

test.each([
  ["what is not HTTP", "SSH-2.0-OpenSSH\r\n\r\n", /begins with "SSH/],
  ["another version", "HTTP/2 200\r\n\r\n", /begins with "HTTP\/2/],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", /another protocol/],
  ["two lengths that differ", `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, /length "1, 2"/],
  ["a length that is no number", `${OK}Content-Length: +1\r\n\r\n`, /length "\+1"/],
  [
    "a length and chunks",
    `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    /transfer encoding "chunked"/,
  ],
  ["an encoding that was not asked for", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`, /"gzip, chunked"/],
  ["a folded header", `${OK}A: b\r\n c\r\n\r\n`, /header " c"/],
  ["a header without a name", `${OK}: b\r\n\r\n`, /header ": b"/],
  ["a space before the colon", `${OK}Content-Length : 1\r\n\r\n`, /header "Content-Length/],
  ["a line end within a header", `${OK}A: b\nContent-Length: 1\r\n\r\n`, /header "A: b/],
  ["a chunk of no size", `${OK}Transfer-Encoding: chunked\r\n\r\nx\r\n`, /chunk has the size "x"/],
  ["a chunk that is too long", `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`, /longer than its size/],
  ["more after its end", `${OK}Content-Length: 1\r\n\r\nab`, /goes on after its end/],
  ["a head without an end", `${OK}A: ${"b".repeat(70_000)}`, /more than it should/],
])("an answer with %s is refused", (_, text, message) => {
  expect(() => read([text])).toThrow(message);
});
