import { script } from "../shell";
import { STATE_MOUNT } from "./prepare-volume";
import { REPORT } from "./report";

/** Prints the first part of the cluster's tokens, which holds the digest of its CA: `K10…`. */
export function readCaDigest(mountPoint = STATE_MOUNT): string {
  return script(
    { TOKEN: `${mountPoint}/rke2/server/token` },
    REPORT,
    `
digest=$(sed -n 's/^\\(K10[0-9a-f]\\{64\\}\\)::.*$/\\1/p' "$TOKEN")
if [ -z "$digest" ]; then refuse "$TOKEN is not a token in the secure form (K10…::server:…)."; fi
printf '%s' "$digest"
`,
  );
}

/** Prints the administrator's kubeconfig as RKE2 wrote it. */
export function readKubeconfig(path = "/etc/rancher/rke2/rke2.yaml"): string {
  return script({ FILE: path }, `cat "$FILE"`);
}
