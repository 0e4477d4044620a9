// Requests to AWS: where its services are, how they are sent, and what comes of a refusal.
import { errorMessage } from "../../runtime";

/** Why AWS did not answer: one word, and a sentence. Never holds a secret. */
export class AwsError extends Error {
  override readonly name = "AwsError";

  constructor(
    readonly reason: "Unreachable" | "Refused" | "TokenUnreadable",
    message: string,
    options?: ErrorOptions & { code?: string | undefined },
  ) {
    super(message, options);
    this.code = options?.code;
  }

  /** What AWS calls the refusal, such as `InvalidInstanceID.NotFound`. */
  readonly code: string | undefined;
}

/** The environment of the process, and the time. */
export interface AwsEnvironment {
  env: Readonly<Record<string, string | undefined>>;
  now: () => number;
}

/** Sends a request and reads the answer; the error of a refusal holds nothing that was sent. */
export async function send(what: string, url: URL | string, init: RequestInit): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    throw new AwsError("Unreachable", `${what} could not be reached: ${causeOf(error)}.`, {
      cause: error,
    });
  }
  const text = await response.text();
  if (response.ok) return text;
  const said = /<Message>([^<]*)<\/Message>|"[mM]essage":\s*"([^"]*)"/.exec(text);
  throw new AwsError(
    "Refused",
    `${what} returned ${response.status}: ${said?.[1] ?? said?.[2] ?? "no message"}`,
    { code: /<Code>([^<]*)<\/Code>/.exec(text)?.[1] },
  );
}

function causeOf(error: unknown): string {
  const cause: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "cause") : undefined;
  return errorMessage(cause ?? error);
}

/** Where a service of AWS is in a region; the environment can say otherwise, as AWS's own tools allow. */
export function serviceUrl(
  env: AwsEnvironment["env"],
  service: "ec2" | "ecr" | "sts",
  region: string,
  fips = false,
): URL {
  const given = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? env.AWS_ENDPOINT_URL;
  if (given !== undefined) return new URL(given);
  const host = service === "ecr" ? (fips ? "ecr-fips" : "api.ecr") : service;
  return new URL(`https://${host}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`);
}
