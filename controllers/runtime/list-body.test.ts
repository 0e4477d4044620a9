import { parseListBody } from "./list-body";

const text = '\\ " } ],{ é 𝒳 \u2028 },{"metadata":{';

function item(index: number, more: object = {}): object {
  return {
    metadata: { name: `n-${index}`, annotations: { text } },
    ...more,
    data: { value: "x".repeat(300) },
  };
}

const many = (make: (index: number) => object, count = 2000): object[] =>
  Array.from({ length: count }, (_, index) => make(index));

const nested = {
  spec: {
    templates: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }, { metadata: { name: "c" } }],
  },
};

const head = { kind: "SecretList", apiVersion: "v1", metadata: { resourceVersion: "7", continue: "abc" } };

const bodies: Record<string, object> = {
  "a list of a built-in kind": { ...head, items: many((index) => item(index)) },
  "a list of custom resources, with its metadata at the end": {
    apiVersion: "example.com/v1",
    items: many((index) => ({ apiVersion: "example.com/v1", kind: "Widget", ...item(index) })),
    kind: "WidgetList",
    metadata: { resourceVersion: "7", continue: "abc" },
  },
  "items that hold lists of things like themselves": {
    ...head,
    items: many((index) => item(index, nested)),
  },
  "items that are nothing but lists of things like themselves": {
    ...head,
    items: many((index) => ({ ...item(index), spec: many(() => ({ metadata: { name: "a" } }), 3000) }), 3),
  },
  "one large item": { ...head, items: [{ ...item(1), large: "y".repeat(400_000) }] },
  "items of several kinds": {
    ...head,
    items: many((index) => (index % 2 === 0 ? item(index) : { kind: "Other", ...item(index) })),
  },
  "items without metadata": { ...head, items: many(() => ({ value: "x".repeat(300) })) },
  "no items": { ...head, items: [] },
  "null instead of items": { ...head, items: null },
  "no list at all": { kind: "Status", message: "x".repeat(300_000) },
};

for (const [name, value] of Object.entries(bodies)) {
  test(`${name}: the same as by JSON.parse`, () => {
    expect(parseListBody(Buffer.from(JSON.stringify(value)))).toEqual(value);
  });
}

test("a body that was cut anywhere is no list", () => {
  const body = Buffer.from(JSON.stringify(bodies["a list of a built-in kind"]));
  for (let length = body.length - 1; length > 0; length -= 9973) {
    expect(() => parseListBody(body.subarray(0, length))).toThrow(SyntaxError);
  }
});
