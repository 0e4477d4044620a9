// Shell scripts that run on the host during an upgrade.
import { INSTALL_RKE2 } from "../../../lib/node-scripts/install-rke2";
import { REPORT } from "../../../lib/node-scripts/report";

/**
 * Runs on the host as a service of its own: `run FOLDER ARGUMENT…`. Making the folder `started` can only go well once,
 * so an installer runs once, however often it is started. `exit` has its exit code, and is complete once it exists.
 */
export const RUN = `#!/bin/sh
# Written by Fleetwright's agent. Runs the installer beside it once.
folder=$1
shift
# What an installer writes may hold credentials: for root alone.
umask 077
: >>"$folder/output"
umask 022
mkdir "$folder/started" || exit 0
cd /
"$folder/installer" "$@" >"$folder/output" 2>&1 </dev/null
code=$?
echo "$code" >"$folder/exit.draft"
sync
mv "$folder/exit.draft" "$folder/exit"
exit "$code"
`;

/** Brings a node of RKE2 to a version: `installer VERSION RELEASES`. */
export const RKE2_INSTALLER = `#!/bin/bash
set -euo pipefail
VERSION=$1
RELEASE_URL=$2
DIGEST=
PREFIX=/usr/local
${REPORT}${INSTALL_RKE2}
install_rke2
for service in rke2-server rke2-agent; do
  if systemctl is-enabled --quiet "$service"; then
    say "restarting $service"
    systemctl restart "$service"
    say "$service runs RKE2 $VERSION"
    exit 0
  fi
done
refuse "neither rke2-server nor rke2-agent is enabled on this node: give an installer in the ClusterUpgrade."
`;
