// Tokens of registries: https://distribution.github.io/distribution/spec/auth/token
import { errorMessage, ExitCode, Failure } from "../../lib/failure";
import { parseJson, textAt } from "../../lib/json";
import type { RegistryLogin } from "./registry-login";
import { isLoopback } from "./registry-name";

/** What a registry answers to those it does not know. */
export interface Challenge {
  /** In small letters. */
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads the header `WWW-Authenticate`. */
export function parseChallenge(header: string): Challenge {
  const [, scheme = "", rest = ""] = /^\s*([A-Za-z]+)\s*(.*)$/s.exec(header) ?? [];
  const pairs = [...rest.matchAll(/([A-Za-z_]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)];
  return {
    scheme: scheme.toLowerCase(),
    parameters: Object.fromEntries(
      pairs.map(([, key = "", quoted, bare = ""]) => [
        key.toLowerCase(),
        quoted === undefined ? bare : quoted.replace(/\\(.)/g, "$1"),
      ]),
    ),
  };
}

/** Asks for a token that allows what is wanted. */
export async function bearerToken(
  { host }: { readonly host: string },
  { parameters }: Challenge,
  scopes: readonly string[],
  login: RegistryLogin | undefined,
): Promise<string> {
  const { realm, service } = parameters;
  if (realm === undefined || !URL.canParse(realm))
    throw new Failure(`${host} wants a token and does not say from where.`);
  const url = new URL(realm);
  if (url.protocol !== "https:" && !isLoopback(url.hostname) && login !== undefined)
    throw new Failure(
      `${host} wants the login to be sent to ${url.origin} without TLS, where everybody on the way could read it.`,
    );
  const answer = await ask(url, service, scopes, login).catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : undefined;
    throw new Failure(
      `${url.origin}, which gives the tokens of ${host}, could not be reached: ${errorMessage(cause ?? error)}`,
      ExitCode.network,
      { cause: error },
    );
  });
  if (!answer.ok)
    throw new Failure(
      `${url.origin} gave no token for ${host}: ${answer.status}. ${login === undefined ? "No login is known for it: log in with your container engine, or set FLEETWRIGHT_REGISTRY_USERNAME and FLEETWRIGHT_REGISTRY_PASSWORD." : "The login is wrong, or may not push there."}`,
      ExitCode.network,
    );
  const body = parseJson(await answer.text());
  const token = textAt(body, "token") ?? textAt(body, "access_token");
  if (token === undefined) throw new Failure(`${url.origin} gave no token for ${host}.`);
  return token;
}

function ask(
  url: URL,
  service: string | undefined,
  scopes: readonly string[],
  login: RegistryLogin | undefined,
): Promise<Response> {
  const about = [
    ...(service === undefined ? [] : [["service", service] as [string, string]]),
    ...scopes.map((scope) => ["scope", scope] as [string, string]),
  ];
  if (login?.isIdentityToken === true) {
    const body = new URLSearchParams([
      ["grant_type", "refresh_token"],
      ["client_id", "fleetwright-images"],
      ["refresh_token", login.password],
      ...about.filter(([key]) => key !== "scope"),
      ["scope", scopes.join(" ")],
    ]);
    return fetch(url, { method: "POST", body, redirect: "error" });
  }
  for (const [key, value] of about) url.searchParams.append(key, value);
  const headers: Record<string, string> =
    login === undefined
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`,
        };
  return fetch(url, { headers, redirect: "error" });
}
