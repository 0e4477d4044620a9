"use strict";

const aws = require("@pulumi/aws");
const pulumi = require("@pulumi/pulumi");

const config = new pulumi.Config();
const generation = config.get("generation") ?? "one";
const zones = aws.getAvailabilityZonesOutput({
  state: "available",
  filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }],
}).names;
const image = aws.ec2.getAmiOutput({ mostRecent: true, owners: ["amazon"] });
const trust = aws.iam.getPolicyDocumentOutput({
  statements: [
    { actions: ["sts:AssumeRole"], principals: [{ type: "Service", identifiers: ["ec2.amazonaws.com"] }] },
  ],
});

const vpc = new aws.ec2.Vpc("fleet", { cidrBlock: "10.0.0.0/16", enableDnsHostnames: true });
const gateway = new aws.ec2.InternetGateway("fleet", { vpcId: vpc.id });
const routes = new aws.ec2.RouteTable("fleet", { vpcId: vpc.id });
new aws.ec2.Route("out", {
  routeTableId: routes.id,
  destinationCidrBlock: "0.0.0.0/0",
  gatewayId: gateway.id,
});
const group = new aws.ec2.SecurityGroup("fleet", { vpcId: vpc.id });
new aws.vpc.SecurityGroupIngressRule("api", {
  securityGroupId: group.id,
  ipProtocol: "tcp",
  fromPort: 6443,
  toPort: 6443,
  cidrIpv4: vpc.cidrBlock,
});
new aws.vpc.SecurityGroupEgressRule("all", {
  securityGroupId: group.id,
  ipProtocol: "-1",
  cidrIpv4: "0.0.0.0/0",
});
const key = new aws.kms.Key("fleet", { enableKeyRotation: true, deletionWindowInDays: 7 });
const role = new aws.iam.Role("fleet", { assumeRolePolicy: trust.json });
const profile = new aws.iam.InstanceProfile("fleet", { role: role.name });
new aws.ssm.Parameter("token", {
  type: "SecureString",
  value: config.requireSecret("token"),
});
const targets = new aws.lb.TargetGroup("fleet", {
  port: 6443,
  protocol: "TCP",
  vpcId: vpc.id,
  preserveClientIp: "false",
});

const machines = [0, 1, 2].map((index) => {
  const subnet = new aws.ec2.Subnet(`zone-${index}`, {
    vpcId: vpc.id,
    cidrBlock: `10.0.${index}.0/24`,
    availabilityZone: zones[index],
  });
  new aws.ec2.RouteTableAssociation(`zone-${index}`, { subnetId: subnet.id, routeTableId: routes.id });
  const nic = new aws.ec2.NetworkInterface(`server-${index}`, {
    subnetId: subnet.id,
    privateIps: [`10.0.${index}.10`],
    securityGroups: [group.id],
  });
  const volume = new aws.ebs.Volume(`server-${index}`, {
    availabilityZone: zones[index],
    size: 8,
    type: "gp3",
    encrypted: true,
    kmsKeyId: key.arn,
  });
  const instance = new aws.ec2.Instance(
    `server-${index}`,
    {
      ami: image.id,
      instanceType: "t3.micro",
      iamInstanceProfile: profile.name,
      primaryNetworkInterface: { networkInterfaceId: nic.id },
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      userData: `#cloud-config\n# ${index === 1 ? generation : "one"}\n`,
      userDataReplaceOnChange: true,
      tags: { Name: `server-${index}` },
    },
    { deleteBeforeReplace: true },
  );
  new aws.ec2.VolumeAttachment(
    `server-${index}`,
    {
      instanceId: instance.id,
      volumeId: volume.id,
      deviceName: "/dev/sdf",
      stopInstanceBeforeDetaching: true,
    },
    { deleteBeforeReplace: true },
  );
  new aws.lb.TargetGroupAttachment(`server-${index}`, {
    targetGroupArn: targets.arn,
    targetId: instance.id,
    port: 6443,
  });
  return { subnet, nic, volume, instance };
});

const balancer = new aws.lb.LoadBalancer("fleet", {
  internal: true,
  loadBalancerType: "network",
  enableCrossZoneLoadBalancing: true,
  subnets: machines.map(({ subnet }) => subnet.id),
});
new aws.lb.Listener("fleet", {
  loadBalancerArn: balancer.arn,
  port: 6443,
  protocol: "TCP",
  defaultActions: [{ type: "forward", targetGroupArn: targets.arn }],
});

module.exports = {
  account: aws.getCallerIdentityOutput().accountId,
  region: aws.getRegionOutput().region,
  partition: aws.getPartitionOutput().partition,
  endpoint: balancer.dnsName,
  servers: machines.map(({ instance, volume }) => ({
    id: instance.id,
    address: instance.privateIp,
    dns: instance.privateDns,
    volume: volume.id,
  })),
};
