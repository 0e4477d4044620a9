import { randomUUID } from "node:crypto";
import { parseJson, textAt } from "../../lib/json";
import type { RawAnswer } from "./backend";
import type { Call, Protocol } from "./call";

/** A call that AWS would not carry out. */
export interface Refusal {
  code: string;
  message: string;
  /** @default 400 */
  status?: number;
}

/** Writes a refusal as the call's service does. */
export function refuse(call: Pick<Call, "protocol" | "service" | "raw">, refusal: Refusal): RawAnswer {
  const request = randomUUID();
  const status = refusal.status ?? 400;
  const xml = (text: string): RawAnswer => ({
    status,
    headers: { "content-type": "text/xml", "x-amzn-requestid": request },
    // The answer to HEAD has no body; only its status speaks.
    body: Buffer.from(call.raw.method === "HEAD" ? "" : text),
  });
  const code = escape(refusal.code);
  const message = escape(refusal.message);
  const writers: Record<Protocol, () => RawAnswer> = {
    ec2: () =>
      xml(
        `<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>${request}</RequestID></Response>`,
      ),
    query: () =>
      xml(
        `<ErrorResponse><Error><Type>${status < 500 ? "Sender" : "Receiver"}</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>${request}</RequestId></ErrorResponse>`,
      ),
    "rest-xml": () =>
      call.service === "route53"
        ? writers.query()
        : xml(
            `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message><RequestId>${request}</RequestId></Error>`,
          ),
    json: () => json(status, { __type: refusal.code, message: refusal.message }, refusal.code, request),
    "rest-json": () => json(status, { message: refusal.message }, refusal.code, request),
  };
  return writers[call.protocol]();
}

/** An answer of a JSON service. */
export function reply(body: unknown, status = 200): RawAnswer {
  return json(status, body, undefined, randomUUID());
}

/** The code of an answer's error; undefined where the call was carried out. */
export function errorCodeOf(call: Call, answer: RawAnswer): string | undefined {
  if (answer.status < 400) return undefined;
  const header = answer.headers["x-amzn-errortype"];
  if (typeof header === "string") return header.split(":")[0];
  const body = answer.body.toString();
  const code = /<Code>([^<]+)<\/Code>/.exec(body)?.[1];
  const type = textAt(parseJson(body), "__type")?.split("#").at(-1);
  return code ?? type ?? `HTTP ${answer.status}`;
}

function json(status: number, body: unknown, error: string | undefined, request: string): RawAnswer {
  return {
    status,
    headers: {
      "content-type": "application/json",
      "x-amzn-requestid": request,
      ...(error === undefined ? {} : { "x-amzn-errortype": error }),
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
