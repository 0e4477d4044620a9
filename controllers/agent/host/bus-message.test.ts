import { BusWriter, decodeReply, encodeCall, messageLength } from "./bus-message";

test("a call has its fields at their boundaries and its body behind them", () => {
  const body = new BusWriter().text("x.service").text("fail");
  const bytes = encodeCall(7, {
    destination: "a.b",
    path: "/a/b",
    interface: "a.b.C",
    member: "Do",
    signature: "ss",
    body,
  });
  expect(bytes.subarray(0, 4).toString("hex")).toBe("6c010001");
  expect(bytes.readUInt32LE(4)).toBe(body.bytes.length);
  expect(bytes.readUInt32LE(8)).toBe(7);
  expect(messageLength(bytes)).toBe(bytes.length);
  expect(messageLength(bytes.subarray(0, 15))).toBeUndefined();
  expect(bytes.subarray(bytes.length - body.bytes.length)).toEqual(body.bytes);
});

test("an array says how long its items are, without the gap before the first", () => {
  const bytes = new BusWriter().array(["a"], 8, () => {}).bytes;
  expect(bytes).toEqual(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0]));
  const writer = new BusWriter();
  writer.array([1n, 2n], 8, (value) => writer.uint64(value));
  expect(writer.bytes.readUInt32LE(0)).toBe(16);
  expect(writer.bytes).toHaveLength(24);
});

/** An answer as a bus writes it. */
function answer(type: number, fields: [number, string, (writer: BusWriter) => void][], body: Buffer): Buffer {
  const head = new BusWriter().byte(0x6c).byte(type).byte(0).byte(1).uint32(body.length).uint32(1);
  head.array(fields, 8, ([code, kind, put]) => {
    head.byte(code).signature(kind);
    put(head);
  });
  return Buffer.concat([head.align(8).bytes, body]);
}

test("an answer gives its first text, also out of a variant", () => {
  const reply = (signature: string, body: BusWriter): ReturnType<typeof decodeReply> =>
    decodeReply(
      answer(
        2,
        [
          [5, "u", (to) => to.uint32(3)],
          [8, "g", (to) => to.signature(signature)],
        ],
        body.bytes,
      ),
    );
  expect(reply("o", new BusWriter().text("/unit"))).toEqual({ replyTo: 3, error: undefined, text: "/unit" });
  expect(reply("v", new BusWriter().variant({ type: "s", value: "active" }))?.text).toBe("active");
  expect(reply("v", new BusWriter().variant({ type: "b", value: true }))?.text).toBeUndefined();
});

test("a refusal gives its name and its text, and a signal is no answer", () => {
  const refusal = answer(
    3,
    [
      [4, "s", (to) => to.text("org.NoSuchUnit")],
      [5, "u", (to) => to.uint32(9)],
      [8, "g", (to) => to.signature("s")],
    ],
    new BusWriter().text("not loaded").bytes,
  );
  expect(decodeReply(refusal)).toMatchObject({ replyTo: 9, error: "org.NoSuchUnit: not loaded" });
  expect(decodeReply(answer(4, [], Buffer.alloc(0)))).toBeUndefined();
});
