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

/** The word that lets releases come by plain HTTP. */
export const INSECURE = "insecure";

/**
 * Brings a node of RKE2 to a version: `installer VERSION RELEASES DIGEST [insecure]`. What runs here runs as root on every
 * node, so the tarball has to have the digest that the ClusterUpgrade names, and comes by HTTPS, redirects included. The last
 * word, which only the sandbox gives, allows HTTP; the digest is asked for all the same.
 */
export const RKE2_INSTALLER = `#!/bin/bash
set -euo pipefail
VERSION=$1
RELEASE_URL=$2
DIGEST=\${3#sha256:}
PREFIX=/usr/local
${REPORT}
if ! [[ $DIGEST =~ ^[0-9a-f]{64}$ ]]; then
  refuse "the ClusterUpgrade names no digest for RKE2 $VERSION. Set spec.digest to the SHA-256 of rke2.linux-amd64.tar.gz."
fi
if [[ $RELEASE_URL == https://* ]]; then
  curl() { command curl --proto =https --proto-redir =https "$@"; }
elif [ "\${4:-}" != ${INSECURE} ]; then
  refuse "$RELEASE_URL is not https. Set the agent's --rke2-releases to an https address."
fi
${INSTALL_RKE2}
# What RKE2 reaches the internet through is what it is downloaded through.
for file in /etc/default/rke2-server /etc/default/rke2-agent; do
  if [ -e "$file" ]; then set -a; . "$file"; set +a; fi
done
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
