// What becomes of commands and a proxy on a node: files that systemd minds when it starts RKE2.
import type { NodeFile } from "../scripts/unpack-files";
import { type FreeContext, proxyVariables } from "./free-settings";

type Role = "server" | "agent";

/** The file from which systemd gives RKE2 its environment; containerd and all that RKE2 starts have it from there. */
export function environmentFile(role: Role): string {
  return `/etc/default/rke2-${role}`;
}

const BEFORE = "/usr/local/sbin/fleetwright-before";
const AFTER = "/usr/local/sbin/fleetwright-after";

function dropIn(role: Role): string {
  return `/etc/systemd/system/rke2-${role}.service.d/20-commands.conf`;
}

/**
 * The files of a role by their paths; none where nothing is set, so that what is sent to the nodes of a cluster that never
 * used a setting stays as it was. For the same reason nobody names a file that is not wanted any more: the first of these
 * files looks after the others (see `header`).
 */
export function freeFiles(
  context: FreeContext | undefined,
  role: Role,
): Record<string, Omit<NodeFile, "path">> {
  if (context === undefined) return {};
  const { before, after } = context.free.commands;
  const variables = Object.entries(proxyVariables(context.free.outboundProxy, context));
  if (before.length + after.length + variables.length === 0) return {};
  return {
    ...(variables.length === 0
      ? {}
      : {
          [environmentFile(role)]: {
            content: variables.map(([name, value]) => `${name}=${value}\n`).join(""),
            mode: "0644",
          },
        }),
    [BEFORE]: { content: script(cleanUp(role), ...before), mode: "0700" },
    ...(after.length === 0 ? {} : { [AFTER]: { content: script(...after), mode: "0700" } }),
    [dropIn(role)]: {
      content: `[Service]\nExecStartPre=${BEFORE}\nExecStartPost=/bin/bash -c 'if [ -e ${AFTER} ]; then exec ${AFTER}; fi'\n`,
      mode: "0644",
    },
  };
}

const MARK = "# With";

/** The first line of config.yaml: which of the files are wanted. Without any there is no such line. */
export function header(context: FreeContext | undefined, role: Role): string {
  const paths = Object.keys(freeFiles(context, role));
  return paths.length === 0 ? "" : `${MARK} ${paths.join(" ")} .\n`;
}

/** systemd reads the environment again for every process that it starts: what goes here does not reach RKE2. */
function cleanUp(role: Role): string {
  const optional = [environmentFile(role), AFTER, dropIn(role), BEFORE].join(" ");
  return `wanted=$(grep --max-count 1 '^${MARK} ' /etc/rancher/rke2/config.yaml || true)
for file in ${optional}; do
  case "$wanted" in *" $file "*) ;; *) rm --force "$file" ;; esac
done
case "$wanted" in "") systemctl --no-block daemon-reload; exit 0 ;; esac`;
}

function script(...commands: readonly string[]): string {
  return `#!/bin/bash\nset -euo pipefail\n${commands.map((command) => `${command}\n`).join("")}`;
}

/** Shell lines by which everything that a script starts goes through the proxy; none without one. */
export function proxyExports(context: FreeContext | undefined): string {
  const variables =
    context === undefined ? [] : Object.entries(proxyVariables(context.free.outboundProxy, context));
  // curl reads the variable of plain HTTP in small letters only.
  return variables
    .map(([name, value]) => `export ${name}='${value}' ${name.toLowerCase()}='${value}'\n`)
    .join("");
}
