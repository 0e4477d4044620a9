export { REPORT } from "../../../../lib/node-scripts/report";

/**
 * Waits until a condition holds, looking once a second: `await_for SECONDS WHAT COMMAND…`. Says what it still waits for
 * twice a minute, and shows the end of the service's journal when time is up.
 */
export const AWAIT = `
await_for() {
  local seconds=$1 what=$2 began=$SECONDS
  shift 2
  until "$@"; do
    if [ $((SECONDS - began)) -ge "$seconds" ]; then
      printf 'Gave up after %s s waiting for %s.\\n' "$seconds" "$what" >&2
      if [ -n "$SERVICE" ] && command -v journalctl >/dev/null; then
        journalctl --no-pager --lines 30 --output cat --unit "$SERVICE" >&2 || true
      fi
      return 1
    fi
    if [ $(((SECONDS - began) % 30)) -eq 29 ]; then say "still waiting for $what"; fi
    sleep 1
  done
}
`;
