import { script } from "../shell";
import { AWAIT, REPORT } from "./report";

/** Brings Docker onto a node for RKE, and lets the login user use it, as RKE wants. */
export function installDocker(user: string): string {
  return script(
    { LOGIN: user, SERVICE: "docker" },
    REPORT,
    AWAIT,
    `
if ! command -v docker >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=120 --quiet update
  apt-get -o DPkg::Lock::Timeout=120 --quiet --yes install --no-install-recommends docker.io
  say "installed Docker"
fi
systemctl --quiet enable docker
systemctl --no-block start docker
usermod --append --groups docker "$LOGIN"
await_for 120 "Docker to answer" docker info --format '{{.ServerVersion}}'
`,
  );
}
