import { script } from "../shell";
import { REPORT } from "./report";

/**
 * Waits until a new machine has done what its user data asks. Logging in at all says that the host key is the expected
 * one; this says that nothing is still being set up underneath.
 */
export function waitForBoot(seconds = 300): string {
  return script(
    { SECONDS_TO_WAIT: seconds },
    REPORT,
    `
if ! command -v cloud-init >/dev/null; then
  refuse "the image has no cloud-init, which hands over login and host keys; choose an image of Debian, Ubuntu or Amazon Linux."
fi
code=0
timeout "$SECONDS_TO_WAIT" cloud-init status --wait >/dev/null || code=$?
# 2 is "done, with something to complain about".
if [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then
  cloud-init status --long >&2 || true
  refuse "cloud-init did not come to its end (code $code, 124 is a timeout after $SECONDS_TO_WAIT s); see /var/log/cloud-init-output.log on the node."
fi
say "booted"
`,
  );
}
