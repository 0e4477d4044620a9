import { ExitCode, Failure } from "../../lib/failure";
import { isRepository } from "../../sandbox/registry/image-store";

/** A place in a registry, below which our images lie. */
export interface RegistryTarget {
  /** Host, with the port if there is one. */
  readonly host: string;
  /** Empty for the top. */
  readonly path: string;
  /** Where the registry answers. */
  readonly origin: string;
}

/**
 * Reads `registry.example.com/fleetwright`. A registry of this machine is asked without TLS, as container engines do; any
 * other only where that is asked for.
 */
export function parseTarget(text: string, isPlain = false): RegistryTarget {
  const [, host, path = ""] =
    /^((?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]+)?)(?:\/(.+?))?\/?$/.exec(text) ?? [];
  const isHost = host !== undefined && (/[.:]/.test(host) || host === "localhost");
  if (!isHost || (path !== "" && !isRepository(path)))
    throw new Failure(
      `The registry is ${JSON.stringify(text)}: use a host and a path of small letters, such as registry.example.com/fleetwright, without https:// and without a tag.`,
      ExitCode.usage,
    );
  const scheme = isPlain || isLoopback(host.replace(/:[0-9]+$/, "")) ? "http" : "https";
  return { host, path, origin: `${scheme}://${host}` };
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

/** A repository below a target. */
export function repositoryOf({ path }: RegistryTarget, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}
