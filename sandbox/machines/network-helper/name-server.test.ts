import { decode, encode, type Packet } from "dns-packet";
import { answerNames } from "./name-server";

const names = { "fleet.elb.example": ["10.0.0.5", "10.0.1.5"], "ip-10-0-0-10.local": ["10.0.0.10"] };

/** Sends a query through the wire format and returns what a client reads. */
function ask(name: string, type: "A" | "AAAA" | "TXT" = "A"): { code: string | undefined; found: unknown[] } {
  const question: Packet = { type: "query", id: 7, flags: 0x0100, questions: [{ type, name }] };
  const answer = decode(encode(answerNames(decode(encode(question)), names)));
  expect(answer).toMatchObject({ id: 7, type: "response" });
  const code: unknown = Reflect.get(answer, "rcode");
  return {
    code: typeof code === "string" ? code : undefined,
    found: (answer.answers ?? []).map((record) => ("data" in record ? record.data : undefined)),
  };
}

test.each([
  ["a known name has all its addresses", "fleet.elb.example", "A", "NOERROR", ["10.0.0.5", "10.0.1.5"]],
  ["names are case-insensitive", "IP-10-0-0-10.Local", "A", "NOERROR", ["10.0.0.10"]],
  ["a known name without a record of that type exists", "fleet.elb.example", "AAAA", "NOERROR", []],
  ["an unknown name does not exist", "example.com", "A", "NXDOMAIN", []],
] as const)("%s", (_what, name, type, code, found) => {
  expect(ask(name, type)).toEqual({ code, found });
});
