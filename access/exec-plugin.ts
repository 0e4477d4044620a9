// What kubectl runs on a person's machine to get a token: a few lines of shell inside the kubeconfig, which need nothing but
// kubectl itself.
import { TOKEN_SECONDS, USERS_NAMESPACE } from "../api";

/** A token is used again for so long, in minutes, before a new one is asked for. */
const REUSED = TOKEN_SECONDS / 60 - 10;

const CREDENTIAL = [
  `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{`,
  `"token":"{{.status.token}}","expirationTimestamp":"{{.status.expirationTimestamp}}"}}`,
].join("");

/**
 * Prints a credential: the one in the cache, or a new one. The secret comes by the environment and goes on in a file that
 * nobody else can read: a command line is seen by everyone on the machine.
 */
export const SCRIPT = `set -eu
umask 077
dir="\${XDG_CACHE_HOME:-$HOME/.cache}/fleetwright/$FLEETWRIGHT_GRANT"
mkdir -p "$dir"
if [ -z "$(find "$dir/credential" -mmin -${REUSED} 2>/dev/null)" ]; then
  new="$dir/$$"
  trap 'rm -f "$new.config" "$new.credential"' EXIT
  printf '%s' "$FLEETWRIGHT_RENEWAL" > "$new.config"
  if ! kubectl --kubeconfig "$new.config" create token "$FLEETWRIGHT_ACCOUNT" --namespace ${USERS_NAMESPACE} \\
    --duration ${TOKEN_SECONDS}s --bound-object-kind Secret --bound-object-name "$FLEETWRIGHT_GRANT" \\
    --output go-template='${CREDENTIAL}' > "$new.credential"; then
    echo "fleetwright: this access has ended, or the API server cannot be reached: ask an administrator for a new kubeconfig (npm run access)" >&2
    exit 1
  fi
  mv "$new.credential" "$dir/credential"
fi
cat "$dir/credential"
`;
