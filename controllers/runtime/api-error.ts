// Errors of the Kubernetes API and of the connection to it, and the predicates that tell them apart.
import { errorCode, errorMessage } from "../../lib/failure";

/** One of the causes that a server gives for a refusal. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** What an API server says when it refuses. */
export interface Status {
  code?: number;
  reason?: string;
  message?: string;
  details?: { causes?: StatusCause[]; retryAfterSeconds?: number };
}

/** The API server answered with an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** What was asked, such as `PATCH /api/v1/nodes/a`. */
    readonly what: string,
    /** The HTTP status code, or the code in an ERROR event. */
    readonly code: number,
    readonly status: Status = {},
    /** How long the server asks to wait. */
    readonly retryAfterMs?: number,
  ) {
    super(
      `${what} was answered with ${code}${status.reason ? ` ${status.reason}` : ""}: ${status.message ?? "no message"}`,
    );
  }

  get reason(): string {
    return this.status.reason ?? "";
  }
}

const MEANING: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the server's certificate has expired; renew it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the server's certificate is not signed by the given authority; check certificate-authority in the kubeconfig",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "the server's certificate is not signed by the given authority; check certificate-authority in the kubeconfig",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the server's certificate is not signed by the given authority; check certificate-authority in the kubeconfig",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the server's certificate is signed by itself; check certificate-authority in the kubeconfig",
  CERT_SIGNATURE_FAILURE:
    "the server's certificate is not signed by the given authority; check certificate-authority in the kubeconfig",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the server's certificate is for another name; check server and tls-server-name in the kubeconfig",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the server wants a client certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "our client certificate has expired; renew it",
  ECONNREFUSED: "nobody listens there",
};

/** There was no answer, or not a whole one: whether the server acted is not known. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor(
    message: string,
    readonly code: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  static from(what: string, error: unknown): ConnectionError {
    if (error instanceof ConnectionError) return error;
    const code = errorCode(error);
    const meaning = code === undefined ? undefined : MEANING[code];
    const found = errorMessage(error);
    return new ConnectionError(
      `${what} failed: ${meaning === undefined ? found : `${meaning} (${code ?? ""}: ${found})`}`,
      code,
      { cause: error },
    );
  }
}

/** Whether the object is not there. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404;

/** Whether the object changed since it was read, or has another identity than expected. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason !== "AlreadyExists";

/** Whether an object of this name is there already. */
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason === "AlreadyExists";

/** Whether the history that was asked for is gone, so that only a new list helps. */
export const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 410 || error.reason === "Expired" || error.reason === "Gone");

/** Reads a Status out of the body of an answer; anything else becomes its message. */
export function parseStatus(text: string): Status {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isStatus(parsed)) return parsed;
  } catch {
    // Proxies answer with pages, not with a Status.
  }
  return { message: text.slice(0, 300) };
}

function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}

/** The time of a `Retry-After` header: seconds or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
