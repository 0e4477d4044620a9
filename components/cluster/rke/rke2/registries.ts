import { yaml } from "../../yaml";
import type { RegistrySettings } from "./settings";

/** Where RKE2 reads from which registries to pull. */
export const REGISTRIES_FILE = "/etc/rancher/rke2/registries.yaml";

/** `registries.yaml`, or undefined if images come from where their names say. */
export function registriesFile({ mirrors = [], logins = [] }: RegistrySettings): string | undefined {
  if (mirrors.length === 0 && logins.length === 0) return undefined;
  return yaml({
    mirrors:
      mirrors.length === 0
        ? undefined
        : Object.fromEntries(mirrors.map(({ registry, endpoints }) => [registry, { endpoint: endpoints }])),
    configs:
      logins.length === 0
        ? undefined
        : Object.fromEntries(
            logins.map(({ host, username, password, caFile }) => [
              host,
              { auth: { username, password }, tls: caFile === undefined ? undefined : { ca_file: caFile } },
            ]),
          ),
  });
}
