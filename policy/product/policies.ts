import { withExemptionsPolicy } from "../core/exemptions-policy";
import { costCeiling } from "./cluster/cost-ceiling";
import { hardened } from "./cluster/hardened";
import { nodeLimit } from "./cluster/node-limit";
import { versionSupported } from "./cluster/version-supported";
import { instanceTypes } from "./placement/instance-types";
import { regions } from "./placement/regions";
import { notOpen } from "./service/not-open";
import { keyStrength } from "./ssh/key-strength";
import { keysUnique } from "./ssh/keys-unique";
import { etcdSnapshots } from "./state/etcd-snapshots";
import { quorum } from "./state/quorum";
import { volumeProtected } from "./state/volume-protected";
import { required } from "./tags/required";

/** The rules of the product, across a stack. */
export const policies = withExemptionsPolicy("product", [
  costCeiling,
  hardened,
  nodeLimit,
  versionSupported,
  instanceTypes,
  regions,
  notOpen,
  keyStrength,
  keysUnique,
  etcdSnapshots,
  quorum,
  volumeProtected,
  required,
]);
