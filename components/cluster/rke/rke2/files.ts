// The files that RKE2 reads on servers and on nodes of pools, by path. Pure: whoever writes them gets them from here.
import { STATE_MARKER, STATE_MOUNT } from "../scripts/prepare-volume";
import type { NodeFile } from "../scripts/unpack-files";
import { AUDIT_POLICY_FILE, auditPolicy } from "./audit-policy";
import { authenticationConfiguration } from "../../identity/authentication";
import { yaml } from "../../yaml";
import {
  agentConfig,
  AUTHENTICATION_FILE,
  CONFIG_FILE,
  serverConfig,
  type AgentSettings,
  type Member,
} from "./config";
import { ecrFiles } from "./ecr";
import { freeFiles } from "./free-files";
import { NODE_RIGHTS_FILE, nodeRights } from "./node-rights";
import { REGISTRIES_FILE, registriesFile } from "./registries";
import type { RegistrySettings, ServerSettings } from "./settings";

/** Where systemd finds what it has to mind before a server starts. */
export const STATE_DROP_IN = "/etc/systemd/system/rke2-server.service.d/10-state-volume.conf";

/**
 * A server never starts without its state volume. RequiresMountsFor makes systemd mount it first; the assertion says no
 * where an empty folder is in its place, on which RKE2 would begin a cluster of its own.
 */
export function stateDropIn(): string {
  return `[Unit]
RequiresMountsFor=${STATE_MOUNT}
AssertPathExists=${STATE_MOUNT}/${STATE_MARKER}
`;
}

/** A node's files, and the paths of those that it must not have. */
export interface NodeFiles {
  readonly files: readonly NodeFile[];
  readonly removed: readonly string[];
}

/** All files of a server. */
export function serverFiles(member: Member, settings: ServerSettings): NodeFiles {
  return present({
    [CONFIG_FILE]: { content: serverConfig(member, settings) },
    [REGISTRIES_FILE]: { content: registriesFile(settings.registries) },
    [AUDIT_POLICY_FILE]: { content: settings.audit ? auditPolicy() : undefined },
    ...authenticationFile(settings),
    ...(settings.pullFromEcr ? ecrFiles() : {}),
    [NODE_RIGHTS_FILE]: { content: nodeRights() },
    [STATE_DROP_IN]: { content: stateDropIn(), mode: "0644" },
    ...freeFiles(settings.free, "server"),
  });
}

// Where there is none the path is not named at all: what a stack without one sends to its servers stays what it was.
function authenticationFile({ oidc }: ServerSettings): Record<string, { content: string }> {
  return oidc === undefined
    ? {}
    : { [AUTHENTICATION_FILE]: { content: yaml(authenticationConfiguration(oidc)) } };
}

/** All files of an agent. */
export function agentFiles(settings: AgentSettings, registries: RegistrySettings): NodeFiles {
  return present({
    [CONFIG_FILE]: { content: agentConfig(settings) },
    [REGISTRIES_FILE]: { content: registriesFile(registries) },
    ...(settings.pullFromEcr ? ecrFiles() : {}),
    ...freeFiles(settings.free, "agent"),
  });
}

function present(
  wanted: Readonly<Record<string, { content: string | undefined; mode?: string }>>,
): NodeFiles {
  const entries = Object.entries(wanted);
  return {
    files: entries.flatMap(([path, { content, mode }]) =>
      content === undefined ? [] : [{ path, content, ...(mode === undefined ? {} : { mode }) }],
    ),
    removed: entries.flatMap(([path, { content }]) => (content === undefined ? [path] : [])),
  };
}
