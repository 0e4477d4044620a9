import { type Cases, UNKNOWN } from "../../testing/cases";
import {
  INGRESS_RULE,
  EGRESS_RULE,
  LAUNCH_TEMPLATE,
  NODE_GROUP,
  SECURITY_GROUP_RULE,
} from "../shared/resource-types";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const tcp = (port: number, ...cidrBlocks: string[]) => ({
  protocol: "tcp",
  fromPort: port,
  toPort: port,
  cidrBlocks,
});
const anywhere = "0.0.0.0/0";
const statement = (Action: unknown, Resource: unknown, Effect = "Allow"): string =>
  JSON.stringify({ Statement: [{ Effect, Action, Resource }] });

const VPC = { $type: "aws:ec2/vpc:Vpc", $name: "vpc", id: UNKNOWN };
const LOG = { $type: "aws:ec2/flowLog:FlowLog", $name: "log", vpcId: UNKNOWN };
const SUBNET = { $type: "aws:ec2/subnet:Subnet", $name: "subnet" };
const GATEWAY = { $type: "aws:ec2/internetGateway:InternetGateway", $name: "gateway" };
const TABLE = { $type: "aws:ec2/routeTable:RouteTable", $name: "table" };
const ROUTE = {
  $type: "aws:ec2/route:Route",
  $name: "route",
  $from: { gatewayId: ["gateway"], routeTableId: ["table"] },
};
const ASSOCIATION = {
  $type: "aws:ec2/routeTableAssociation:RouteTableAssociation",
  $name: "association",
  $from: { routeTableId: ["table"], subnetId: ["subnet"] },
};
const NODE = { $type: NODE_GROUP, $name: "nodes", $from: { subnetIds: ["subnet"] } };
const INTERFACE = {
  $type: "aws:ec2/networkInterface:NetworkInterface",
  $name: "card",
  $from: { subnetId: ["subnet"] },
};
const SERVER = {
  $type: "aws:ec2/instance:Instance",
  $name: "server",
  $from: { primaryNetworkInterface: ["card"] },
};

/** Examples for the policies of this pack. */
export const CASES: Readonly<Record<string, Cases>> = {
  "aws-ebs-volume-encrypted": {
    passes: [{ encrypted: true }],
    fails: [
      [{ encrypted: false }, "encrypted is false"],
      [{}, "encrypted is not set"],
    ],
    unknown: [{ encrypted: UNKNOWN }],
  },
  "aws-ebs-state-volume-key": {
    passes: [
      { tags: { "fleetwright.dev/state-of": "main" }, kmsKeyId: "arn:aws:kms:key" },
      { tags: { Name: "data" } },
      {},
    ],
    fails: [[{ tags: { "fleetwright.dev/state-of": "main" } }, "kmsKeyId is not set"]],
    unknown: [{ tags: { "fleetwright.dev/state-of": "main" }, kmsKeyId: UNKNOWN }, { tags: UNKNOWN }],
  },
  "aws-ebs-encryption-by-default": {
    passes: [{ enabled: true }, {}],
    fails: [[{ enabled: false }, "enabled is false"]],
    unknown: [{ enabled: UNKNOWN }],
  },
  "aws-ebs-snapshot-guarded": {
    passes: [
      { encrypted: true, kmsKeyId: "arn" },
      { $type: "aws:ec2/amiLaunchPermission:AmiLaunchPermission", accountId: "123456789012" },
      { $type: "aws:ebs/snapshotBlockPublicAccess:SnapshotBlockPublicAccess", state: "block-all-sharing" },
    ],
    fails: [
      [{ kmsKeyId: "arn" }, "encrypted is not set"],
      [{ encrypted: true }, "kmsKeyId is not set"],
      [{ $type: "aws:ec2/amiLaunchPermission:AmiLaunchPermission", group: "all" }, 'group is "all"'],
      [
        { $type: "aws:ebs/snapshotBlockPublicAccess:SnapshotBlockPublicAccess", state: "unblocked" },
        "state is",
      ],
    ],
    unknown: [{ encrypted: UNKNOWN }],
  },
  "aws-ec2-block-devices-encrypted": {
    passes: [
      { rootBlockDevice: { encrypted: true }, ebsBlockDevices: [{ encrypted: true }] },
      { launchTemplate: { id: "lt-1" } },
      {
        $type: LAUNCH_TEMPLATE,
        blockDeviceMappings: [{ ebs: { encrypted: "true" } }, { virtualName: "ephemeral0" }],
      },
    ],
    fails: [
      [{}, "rootBlockDevice.encrypted is not set"],
      [
        { rootBlockDevice: { encrypted: true }, ebsBlockDevices: [{ encrypted: UNKNOWN }, {}] },
        "ebsBlockDevices[1].encrypted is not set",
      ],
      [
        { $type: LAUNCH_TEMPLATE, blockDeviceMappings: [{ ebs: { volumeSize: 8 } }] },
        "blockDeviceMappings[0].ebs.encrypted",
      ],
    ],
    unknown: [{ rootBlockDevice: UNKNOWN }, { $type: LAUNCH_TEMPLATE, blockDeviceMappings: UNKNOWN }],
  },
  "aws-ec2-metadata-v2": {
    passes: [
      { metadataOptions: { httpTokens: "required" } },
      { metadataOptions: { httpEndpoint: "disabled" } },
      { launchTemplate: { id: "lt-1" } },
    ],
    fails: [
      [{}, "metadataOptions.httpTokens is not set"],
      [{ metadataOptions: { httpTokens: "optional" } }, 'httpTokens is "optional"'],
      [{ $type: LAUNCH_TEMPLATE }, "metadataOptions.httpTokens is not set"],
    ],
    unknown: [{ metadataOptions: UNKNOWN }],
  },
  "aws-ec2-metadata-hops": {
    passes: [{}, { metadataOptions: { httpPutResponseHopLimit: 1 } }],
    fails: [[{ metadataOptions: { httpPutResponseHopLimit: 2 } }, "httpPutResponseHopLimit is 2"]],
    unknown: [{ metadataOptions: { httpPutResponseHopLimit: UNKNOWN } }],
  },
  "aws-ec2-no-public-address": {
    passes: [{}, { associatePublicIpAddress: false }, { $type: LAUNCH_TEMPLATE, networkInterfaces: [{}] }],
    fails: [
      [{ associatePublicIpAddress: true }, "associatePublicIpAddress is true"],
      [
        { $type: LAUNCH_TEMPLATE, networkInterfaces: [{ associatePublicIpAddress: "true" }] },
        "networkInterfaces[0]",
      ],
    ],
    unknown: [{ associatePublicIpAddress: UNKNOWN }],
  },
  "aws-ec2-subnet-no-public-address": {
    passes: [{}, { mapPublicIpOnLaunch: false }],
    fails: [[{ mapPublicIpOnLaunch: true }, "mapPublicIpOnLaunch is true"]],
    unknown: [{ mapPublicIpOnLaunch: UNKNOWN }],
  },
  "aws-ec2-ssh-not-open": {
    passes: [
      { ingress: [tcp(22, "10.0.0.0/8"), tcp(443, anywhere)] },
      { $type: SECURITY_GROUP_RULE, type: "egress", ...tcp(22, anywhere) },
      { $type: INGRESS_RULE, ipProtocol: "tcp", fromPort: 22, toPort: 22, referencedSecurityGroupId: "sg-1" },
      { $type: INGRESS_RULE, ipProtocol: "icmp", fromPort: -1, toPort: -1, cidrIpv4: anywhere },
    ],
    fails: [
      [
        { ingress: [tcp(443, anywhere), tcp(22, "10.0.0.0/8", anywhere)] },
        'ingress[1].cidrBlocks[1] is "0.0.0.0/0"',
      ],
      [{ ingress: [{ protocol: "tcp", fromPort: 0, toPort: 1024, ipv6CidrBlocks: ["::/0"] }] }, '"::/0"'],
      [{ ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: [anywhere] }] }, "0-65535"],
      [{ ingress: [tcp(22, "0.0.0.0/1")] }, '"0.0.0.0/1"'],
      [{ $type: SECURITY_GROUP_RULE, type: "ingress", ...tcp(22, anywhere) }, "cidrBlocks[0]"],
      [{ $type: INGRESS_RULE, ipProtocol: "-1", cidrIpv6: "::/0" }, 'cidrIpv6 is "::/0"'],
    ],
    unknown: [
      { ingress: UNKNOWN },
      { $type: INGRESS_RULE, ipProtocol: "tcp", fromPort: 22, toPort: 22, cidrIpv4: UNKNOWN },
    ],
  },
  "aws-ec2-cluster-ports-not-open": {
    passes: [{ ingress: [tcp(6443, "10.0.0.0/8"), tcp(443, anywhere)] }],
    fails: [
      [{ ingress: [tcp(6443, anywhere)] }, "the Kubernetes API"],
      [{ $type: INGRESS_RULE, ipProtocol: "tcp", fromPort: 2300, toPort: 2379, cidrIpv4: anywhere }, "etcd"],
      [
        { ingress: [{ protocol: "tcp", fromPort: 30000, toPort: 32767, cidrBlocks: [anywhere] }] },
        "NodePort",
      ],
    ],
    unknown: [{ ingress: [{ protocol: "tcp", fromPort: UNKNOWN, toPort: 1, cidrBlocks: [anywhere] }] }],
  },
  "aws-ec2-egress-restricted": {
    passes: [{ egress: [tcp(443, anywhere)] }, { $type: EGRESS_RULE, ipProtocol: "tcp", cidrIpv4: anywhere }],
    fails: [
      [{ egress: [{ protocol: "-1", cidrBlocks: [anywhere] }] }, "egress[0].cidrBlocks[0]"],
      [{ $type: EGRESS_RULE, ipProtocol: "-1", cidrIpv4: anywhere }, "cidrIpv4"],
      [
        { $type: SECURITY_GROUP_RULE, type: "egress", protocol: "-1", cidrBlocks: [anywhere] },
        "cidrBlocks[0]",
      ],
    ],
    unknown: [{ $type: EGRESS_RULE, ipProtocol: "-1", cidrIpv4: UNKNOWN }],
  },
  "aws-ec2-security-group-described": {
    passes: [{ description: "nodes", ingress: [{ description: "login" }] }],
    fails: [
      [{}, "description is not set"],
      [{ description: "Managed by Pulumi" }, "Managed by Pulumi"],
      [{ description: "nodes", egress: [{}] }, "egress[0].description is not set"],
    ],
    unknown: [{ description: UNKNOWN }],
  },
  "aws-ec2-default-security-group-closed": {
    passes: [{}, { ingress: [], egress: [] }],
    fails: [[{ ingress: [{ protocol: "-1", self: true }] }, "ingress is a list of 1"]],
    unknown: [{ egress: UNKNOWN }],
  },
  "aws-ec2-vpc-flow-logs": {
    passes: [
      [VPC, { ...LOG, $from: { vpcId: ["vpc"] } }],
      [
        { ...VPC, id: "vpc-1" },
        { ...LOG, vpcId: "vpc-1" },
      ],
    ],
    fails: [
      [[VPC], "the VPC has no flow log"],
      [
        [
          { ...VPC, id: "vpc-1" },
          { ...LOG, vpcId: "vpc-2" },
        ],
        "the VPC has no flow log",
      ],
    ],
    unknown: [[VPC, LOG]],
  },
  "aws-ec2-network-acl-not-open": {
    passes: [
      { ingress: [{ action: "allow", protocol: "tcp", fromPort: 443, toPort: 443, cidrBlock: anywhere }] },
      { ingress: [{ action: "deny", protocol: "-1", fromPort: 0, toPort: 0, cidrBlock: anywhere }] },
    ],
    fails: [
      [
        { ingress: [{ action: "allow", protocol: "tcp", fromPort: 0, toPort: 3389, cidrBlock: anywhere }] },
        "ingress[0].cidrBlock",
      ],
      [
        {
          $type: "aws:ec2/networkAclRule:NetworkAclRule",
          ruleAction: "allow",
          protocol: "-1",
          ipv6CidrBlock: "::/0",
        },
        "ipv6CidrBlock",
      ],
    ],
    unknown: [{ ingress: [{ action: "allow", protocol: "-1", cidrBlock: UNKNOWN }] }],
  },
  "aws-autoscaling-launch-template": {
    passes: [{ launchTemplate: { id: "lt-1" } }, { mixedInstancesPolicy: {} }],
    fails: [
      [{ launchConfiguration: "old" }, 'launchConfiguration is "old"'],
      [{}, "launchTemplate is not set"],
    ],
    unknown: [{ launchTemplate: UNKNOWN }],
  },
  "aws-autoscaling-zones": {
    passes: [{ vpcZoneIdentifiers: ["subnet-1", UNKNOWN] }, { availabilityZones: ["a", "b"] }],
    fails: [
      [{ vpcZoneIdentifiers: ["subnet-1"] }, "vpcZoneIdentifiers is a list of 1"],
      [{}, "availabilityZones is not set"],
    ],
    unknown: [{ vpcZoneIdentifiers: UNKNOWN }],
  },
  "aws-autoscaling-health-check": {
    passes: [{ healthCheckType: "EC2" }, { targetGroupArns: ["arn"], healthCheckType: "ELB" }],
    fails: [[{ targetGroupArns: ["arn"], healthCheckType: "EC2" }, 'healthCheckType is "EC2"']],
    unknown: [{ targetGroupArns: UNKNOWN }],
  },
  "aws-ec2-instance-role": {
    passes: [{ iamInstanceProfile: "nodes" }, { launchTemplate: { id: "lt-1" } }],
    fails: [[{}, "iamInstanceProfile is not set"]],
    unknown: [{ iamInstanceProfile: UNKNOWN }],
  },
  "aws-ec2-no-keys-in-user-data": {
    passes: [
      {},
      { userData: "#cloud-config\nruncmd: []" },
      { $type: LAUNCH_TEMPLATE, userData: base64("echo hello") },
    ],
    fails: [
      [{ userData: "export KEY=AKIAIOSFODNN7EXAMPLE" }, "userData is text with an AWS access key in it"],
      [{ userDataBase64: base64("-----BEGIN OPENSSH PRIVATE KEY-----") }, "an SSH private key"],
      [{ $type: LAUNCH_TEMPLATE, userData: base64("token: 0123456789abcdef0123") }, "a join token"],
    ],
    unknown: [{ userData: UNKNOWN }],
  },
  "aws-ec2-kubelet-arguments": {
    passes: [{ userData: "--anonymous-auth=false --read-only-port=0" }],
    fails: [
      [{ userData: "--kubelet-extra-args '--anonymous-auth=true'" }, "anonymous requests allowed"],
      [
        { $type: LAUNCH_TEMPLATE, userData: base64("kubelet-arg:\n- read-only-port=10255") },
        "a read-only port",
      ],
      [
        { userData: "authorization-mode=AlwaysAllow rotate-certificates=false" },
        "certificates that are not rotated",
      ],
    ],
    unknown: [{ $type: LAUNCH_TEMPLATE, userData: UNKNOWN }],
  },
  "aws-ec2-ebs-optimised": {
    passes: [
      { ebsOptimized: true, instanceType: "m4.large" },
      { instanceType: "m7i.large" },
      { instanceType: "t3.medium" },
    ],
    fails: [[{ instanceType: "m1.large" }, "ebsOptimized is not set"]],
    unknown: [{ instanceType: UNKNOWN }],
  },
  "aws-ec2-instance-monitoring": {
    passes: [{ monitoring: true }],
    fails: [[{}, "monitoring is not set"]],
    unknown: [{ monitoring: UNKNOWN }],
  },
  "aws-ec2-image-allowed": {
    passes: [{ ami: "ami-0123" }, { $type: LAUNCH_TEMPLATE }],
    fails: [[{ $type: LAUNCH_TEMPLATE, imageId: "resolve:ssm:/somebody/image" }, "imageId is"]],
    unknown: [{ ami: UNKNOWN }],
  },
  "aws-ec2-nodes-in-private-subnets": {
    passes: [[NODE, SUBNET, TABLE, GATEWAY, ROUTE]],
    fails: [
      [[NODE, SUBNET, TABLE, GATEWAY, ROUTE, ASSOCIATION], 'the public subnet "subnet"'],
      [
        [SERVER, INTERFACE, SUBNET, { ...TABLE, $from: { routes: ["gateway"] } }, GATEWAY, ASSOCIATION],
        "public subnet",
      ],
    ],
    unknown: [[{ ...NODE, $from: {}, subnetIds: UNKNOWN }]],
  },
  "aws-eks-endpoint-private": {
    passes: [
      { vpcConfig: { endpointPrivateAccess: true, endpointPublicAccess: false } },
      {
        vpcConfig: {
          endpointPrivateAccess: true,
          endpointPublicAccess: true,
          publicAccessCidrs: ["192.0.2.0/24"],
        },
      },
    ],
    fails: [
      [{ vpcConfig: { endpointPublicAccess: false } }, "vpcConfig.endpointPrivateAccess is not set"],
      [{ vpcConfig: { endpointPrivateAccess: true } }, "vpcConfig.endpointPublicAccess is not set"],
      [
        { vpcConfig: { endpointPrivateAccess: true, publicAccessCidrs: [anywhere] } },
        "vpcConfig.publicAccessCidrs[0]",
      ],
    ],
    unknown: [{ vpcConfig: { endpointPrivateAccess: true, endpointPublicAccess: UNKNOWN } }],
  },
  "aws-eks-secrets-encrypted": {
    passes: [{ encryptionConfig: { resources: ["secrets"], provider: { keyArn: "arn" } } }],
    fails: [
      [{}, "encryptionConfig.resources is not set"],
      [{ encryptionConfig: { resources: ["secrets"] } }, "encryptionConfig.provider.keyArn is not set"],
    ],
    unknown: [{ encryptionConfig: { resources: ["secrets"], provider: { keyArn: UNKNOWN } } }],
  },
  "aws-eks-logs": {
    passes: [{ enabledClusterLogTypes: ["api", "audit", "authenticator", "controllerManager", "scheduler"] }],
    fails: [
      [{ enabledClusterLogTypes: ["audit"] }, 'enabledClusterLogTypes is only "audit"'],
      [{}, "Add api, audit"],
    ],
    unknown: [{ enabledClusterLogTypes: ["api", UNKNOWN] }],
  },
  "aws-eks-version-supported": {
    passes: [{ version: "1.35" }, {}],
    fails: [
      [{ version: "1.27" }, 'version is "1.27"'],
      [{ $type: NODE_GROUP, version: "1.29" }, 'version is "1.29"'],
    ],
    unknown: [{ version: UNKNOWN }],
  },
  "aws-eks-node-group-no-remote-access": {
    passes: [{}, { remoteAccess: { ec2SshKey: "key", sourceSecurityGroupIds: ["sg-1"] } }],
    fails: [[{ remoteAccess: { ec2SshKey: "key" } }, "remoteAccess.sourceSecurityGroupIds is not set"]],
    unknown: [{ remoteAccess: UNKNOWN }],
  },
  "aws-eks-access-mode": {
    passes: [{ accessConfig: { authenticationMode: "API" } }],
    fails: [
      [{}, "accessConfig.authenticationMode is not set"],
      [{ accessConfig: { authenticationMode: "CONFIG_MAP" } }, '"CONFIG_MAP"'],
    ],
    unknown: [{ accessConfig: { authenticationMode: UNKNOWN } }],
  },
  "aws-eks-no-system-masters": {
    passes: [{ kubernetesGroups: ["viewers"] }, {}],
    fails: [[{ kubernetesGroups: [UNKNOWN, "system:masters"] }, 'kubernetesGroups[1] is "system:masters"']],
    unknown: [{ kubernetesGroups: [UNKNOWN] }],
  },
  "aws-ecr-scan-on-push": {
    passes: [{ imageScanningConfiguration: { scanOnPush: true } }],
    fails: [[{}, "imageScanningConfiguration.scanOnPush is not set"]],
    unknown: [{ imageScanningConfiguration: { scanOnPush: UNKNOWN } }],
  },
  "aws-ecr-immutable-tags": {
    passes: [{ imageTagMutability: "IMMUTABLE" }],
    fails: [[{ imageTagMutability: "MUTABLE" }, '"MUTABLE"']],
    unknown: [{ imageTagMutability: UNKNOWN }],
  },
  "aws-ecr-encrypted": {
    passes: [{ encryptionConfigurations: [{ encryptionType: "KMS" }] }],
    fails: [
      [
        { encryptionConfigurations: [{ encryptionType: "AES256" }] },
        "encryptionConfigurations is a list of 1",
      ],
    ],
    unknown: [{ encryptionConfigurations: [{ encryptionType: UNKNOWN }] }],
  },
  "aws-kms-key-rotation": {
    passes: [{ enableKeyRotation: true }, { customerMasterKeySpec: "RSA_4096" }],
    fails: [[{}, "enableKeyRotation is not set"]],
    unknown: [{ enableKeyRotation: UNKNOWN }],
  },
  "aws-iam-no-wildcard": {
    passes: [
      { policy: statement("s3:*", "*") },
      { policy: statement("*", "arn:aws:s3:::mine") },
      { policy: statement("*", "*", "Deny") },
      { policy: "not json" },
    ],
    fails: [
      [{ policy: statement("*", "*") }, "statement 1 allows * on *"],
      [{ policy: statement(["s3:GetObject", "*:*"], ["*"]) }, "statement 1 allows * on *"],
      [
        { policy: JSON.stringify({ Statement: { Effect: "Allow", NotAction: "iam:*", Resource: "*" } }) },
        "all but a few",
      ],
    ],
    unknown: [{ policy: UNKNOWN }],
  },
  "aws-lb-access-logs": {
    passes: [{ accessLogs: { enabled: true, bucket: "logs" } }, { loadBalancerType: "network" }],
    fails: [[{}, "accessLogs.enabled is not set"]],
    unknown: [{ accessLogs: UNKNOWN }],
  },
  "aws-lb-deletion-protection": {
    passes: [{ enableDeletionProtection: true }],
    fails: [[{}, "enableDeletionProtection is not set"]],
    unknown: [{ enableDeletionProtection: UNKNOWN }],
  },
  "aws-lb-tls-listener": {
    passes: [
      { protocol: "HTTPS" },
      { protocol: "TCP" },
      { protocol: "HTTP", defaultActions: [{ type: "redirect", redirect: { protocol: "HTTPS" } }] },
    ],
    fails: [[{ protocol: "HTTP", defaultActions: [{ type: "forward" }] }, 'protocol is "HTTP"']],
    unknown: [{ protocol: UNKNOWN }],
  },
};
