// The Data Lifecycle Manager, by plain signed requests: one type needs five of its calls, which is no reason for one more SDK.
import { sign } from "aws4";
import type { Deadline } from "./core/deadline";
import { isRecord, type Values } from "./core/value";

/** How the service is reached. */
export interface DlmSettings {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: () => Promise<{
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string | undefined;
  }>;
  /** More headers for a call. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** How long a call may be tried again when AWS refuses it for a while. */
  readonly deadline: () => Deadline;
}

/** A refusal, in the form in which AWS's SDKs throw it. */
class DlmError extends Error {
  readonly $metadata: { httpStatusCode: number };

  constructor(code: string, message: string, httpStatusCode: number) {
    super(message);
    this.name = code;
    this.$metadata = { httpStatusCode };
  }
}

/** The calls that a lifecycle policy needs. */
export class Dlm {
  constructor(private readonly settings: DlmSettings) {}

  createLifecyclePolicy = (body: Values): Promise<Values> => this.call("POST", "/policies", body);
  getLifecyclePolicy = (id: string): Promise<Values> => this.call("GET", `/policies/${id}/`);
  updateLifecyclePolicy = (id: string, body: Values): Promise<Values> =>
    this.call("PATCH", `/policies/${id}`, body);
  deleteLifecyclePolicy = (id: string): Promise<Values> => this.call("DELETE", `/policies/${id}/`);
  tagResource = (arn: string, Tags: Values): Promise<Values> =>
    this.call("POST", `/tags/${encodeURIComponent(arn)}`, { Tags });
  untagResource = (arn: string, keys: readonly string[]): Promise<Values> => {
    const query = keys.map((key) => `tagKeys=${encodeURIComponent(key)}`).join("&");
    return this.call("DELETE", `/tags/${encodeURIComponent(arn)}?${query}`);
  };

  private async call(method: string, target: string, body?: Values): Promise<Values> {
    const deadline = this.settings.deadline();
    for (let attempt = 0; ; attempt++) {
      const answer = await this.once(method, target, body);
      if ((answer.status !== 429 && answer.status < 500) || deadline.over) return valuesOf(answer);
      await deadline.rest(attempt);
    }
  }

  private async once(method: string, target: string, body: Values | undefined): Promise<Response> {
    const { region, endpoint, credentials, headers } = this.settings;
    const { host } = new URL(endpoint);
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    const text = body === undefined ? "" : JSON.stringify(body);
    const signed = sign(
      {
        ...{ service: "dlm", region, host, method, path: target },
        headers: { "content-type": "application/json", ...headers() },
        body: text,
      },
      { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    );
    return fetch(`${endpoint.replace(/\/$/, "")}${target}`, {
      method,
      headers: Object.entries(signed.headers ?? {}).flatMap(([name, value]): [string, string][] =>
        // fetch itself says these.
        /^(host|content-length)$/i.test(name) ? [] : [[name, String(value)]],
      ),
      ...(text === "" ? {} : { body: text }),
    });
  }
}

async function valuesOf(answer: Response): Promise<Values> {
  const text = await answer.text();
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    said = undefined;
  }
  const values = isRecord(said) ? said : {};
  if (answer.ok) return values;
  const code = answer.headers.get("x-amzn-errortype")?.split(":")[0] ?? `HTTP${answer.status}`;
  throw new DlmError(code, typeof values.message === "string" ? values.message : text, answer.status);
}
