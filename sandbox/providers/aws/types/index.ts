export { autoScalingGroup } from "./auto-scaling";
export { bucket } from "./bucket";
export {
  bucketEncryption,
  bucketLifecycle,
  bucketOwnership,
  bucketPolicy,
  bucketPublicAccessBlock,
  bucketVersioning,
} from "./bucket-settings";
export { record, zone } from "./dns";
export { eksAccessEntry, eksAccessPolicyAssociation, eksPodIdentityAssociation } from "./eks-access";
export { eksAddon } from "./eks-addon";
export { eksCluster } from "./eks-cluster";
export { eksIdentityProviderConfig } from "./eks-identity-provider";
export { eksNodeGroup } from "./eks-node-group";
export { vpcEndpoint } from "./endpoint";
export { flowLog } from "./flow-log";
export { eip, internetGateway, natGateway } from "./gateway";
export { policy, role, rolePolicy, rolePolicyAttachment } from "./iam";
export { instance } from "./instance";
export { instanceProfile } from "./instance-profile";
export { keyPair } from "./key-pair";
export { kmsAlias, kmsKey } from "./kms";
export { launchTemplate } from "./launch-template";
export { lifecyclePolicy } from "./lifecycle-policy";
export { listener } from "./listener";
export { loadBalancer } from "./load-balancer";
export { logGroup } from "./log-group";
export { networkInterface, networkInterfaceAttachment } from "./network-interface";
export { parameter } from "./parameter";
export { route, routeTable, routeTableAssociation } from "./route";
export { defaultSecurityGroup, securityGroup } from "./security-group";
export { securityGroupEgressRule, securityGroupIngressRule, securityGroupRule } from "./security-group-rule";
export { subnet } from "./subnet";
export { targetGroup, targetGroupAttachment } from "./target-group";
export { snapshot, volume, volumeAttachment } from "./volume";
export { vpc } from "./vpc";
