import { withExemptionsPolicy } from "../core/exemptions-policy";
import { healthCheck } from "./autoscaling/health-check";
import { launchTemplate } from "./autoscaling/launch-template";
import { zones } from "./autoscaling/zones";
import { encryptionByDefault } from "./ebs/encryption-by-default";
import { snapshotGuarded } from "./ebs/snapshot-guarded";
import { stateVolumeKey } from "./ebs/state-volume-key";
import { volumeEncrypted } from "./ebs/volume-encrypted";
import { blockDevicesEncrypted } from "./ec2/block-devices-encrypted";
import { clusterPortsNotOpen } from "./ec2/cluster-ports-not-open";
import { defaultSecurityGroupClosed } from "./ec2/default-security-group-closed";
import { ebsOptimised } from "./ec2/ebs-optimised";
import { egressRestricted } from "./ec2/egress-restricted";
import { imageAllowed } from "./ec2/image-allowed";
import { instanceMonitoring } from "./ec2/instance-monitoring";
import { instanceRole } from "./ec2/instance-role";
import { kubeletArguments } from "./ec2/kubelet-arguments";
import { metadataHops } from "./ec2/metadata-hops";
import { metadataV2 } from "./ec2/metadata-v2";
import { networkAclNotOpen } from "./ec2/network-acl-not-open";
import { noKeysInUserData } from "./ec2/no-keys-in-user-data";
import { noPublicAddress } from "./ec2/no-public-address";
import { nodesInPrivateSubnets } from "./ec2/nodes-in-private-subnets";
import { securityGroupDescribed } from "./ec2/security-group-described";
import { sshNotOpen } from "./ec2/ssh-not-open";
import { subnetNoPublicAddress } from "./ec2/subnet-no-public-address";
import { vpcFlowLogs } from "./ec2/vpc-flow-logs";
import { encrypted } from "./ecr/encrypted";
import { immutableTags } from "./ecr/immutable-tags";
import { scanOnPush } from "./ecr/scan-on-push";
import { accessMode } from "./eks/access-mode";
import { endpointPrivate } from "./eks/endpoint-private";
import { logs } from "./eks/logs";
import { noSystemMasters } from "./eks/no-system-masters";
import { nodeGroupNoRemoteAccess } from "./eks/node-group-no-remote-access";
import { secretsEncrypted } from "./eks/secrets-encrypted";
import { versionSupported } from "./eks/version-supported";
import { noWildcard } from "./iam/no-wildcard";
import { keyRotation } from "./kms/key-rotation";
import { accessLogs } from "./lb/access-logs";
import { deletionProtection } from "./lb/deletion-protection";
import { tlsListener } from "./lb/tls-listener";

/** The policies for AWS. */
export const policies = withExemptionsPolicy("aws", [
  healthCheck,
  launchTemplate,
  zones,
  encryptionByDefault,
  snapshotGuarded,
  stateVolumeKey,
  volumeEncrypted,
  blockDevicesEncrypted,
  clusterPortsNotOpen,
  defaultSecurityGroupClosed,
  ebsOptimised,
  egressRestricted,
  imageAllowed,
  instanceMonitoring,
  instanceRole,
  kubeletArguments,
  metadataHops,
  metadataV2,
  networkAclNotOpen,
  noKeysInUserData,
  noPublicAddress,
  nodesInPrivateSubnets,
  securityGroupDescribed,
  sshNotOpen,
  subnetNoPublicAddress,
  vpcFlowLogs,
  encrypted,
  immutableTags,
  scanOnPush,
  accessMode,
  endpointPrivate,
  logs,
  noSystemMasters,
  nodeGroupNoRemoteAccess,
  secretsEncrypted,
  versionSupported,
  noWildcard,
  keyRotation,
  accessLogs,
  deletionProtection,
  tlsListener,
]);
