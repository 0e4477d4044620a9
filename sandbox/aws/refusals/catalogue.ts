// The list of all rules by which the sandbox refuses what AWS refuses.
import type { RefusalRule } from "../rule";
import { groupDeletion } from "./group-deletion";
import { instanceProfile } from "./instance-profile";
import { instanceState } from "./instance-state";
import { interfaceAttachment } from "./interface-attachment";
import { interfaceDeletion } from "./interface-deletion";
import { loadBalancer } from "./load-balancer";
import { internetGateway } from "./internet-gateway";
import { localZone } from "./local-zone";
import { names, userData } from "./names";
import { networkDeletion } from "./network-deletion";
import { partition } from "./partition";
import { policyDeletion } from "./policy-deletion";
import { privateAddress } from "./private-address";
import { publicAddress } from "./public-address";
import { securityGroupDeletion } from "./security-group-deletion";
import { volumeAttachment } from "./volume-attachment";
import { volumeDetachment } from "./volume-detachment";
import { volumeModification } from "./volume-modification";
import { volumeSource } from "./volume-source";

/** Everything that AWS refuses and moto would carry out, in the order in which the rules are asked. */
export const REFUSALS: readonly RefusalRule[] = [
  names,
  userData,
  partition,
  localZone,
  volumeAttachment,
  volumeDetachment,
  volumeModification,
  volumeSource,
  interfaceAttachment,
  interfaceDeletion,
  privateAddress,
  publicAddress,
  internetGateway,
  networkDeletion,
  securityGroupDeletion,
  instanceState,
  instanceProfile,
  policyDeletion,
  loadBalancer,
  groupDeletion,
];
