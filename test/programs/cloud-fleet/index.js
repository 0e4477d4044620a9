"use strict";

const aws = require("@pulumi/aws");
const command = require("@pulumi/command");
const pulumi = require("@pulumi/pulumi");
const tls = require("@pulumi/tls");

const config = new pulumi.Config();
/** Server 1 gets another user data with another generation, and is replaced. */
const generation = config.get("generation") ?? "one";
/** Attaches the volume of server 1 to server 0 while it is still attached to server 1. */
const steal = config.getBoolean("steal") ?? false;

const zones = aws.getAvailabilityZonesOutput({
  state: "available",
  filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }],
}).names;
const image = aws.ec2.getAmiOutput({ mostRecent: true, owners: ["amazon"] });
const login = new tls.PrivateKey("login", { algorithm: "ED25519" });
const keyPair = new aws.ec2.KeyPair("login", { publicKey: login.publicKeyOpenssh });

const vpc = new aws.ec2.Vpc("fleet", { cidrBlock: "10.0.0.0/16", enableDnsHostnames: true });
const gateway = new aws.ec2.InternetGateway("fleet", { vpcId: vpc.id });
const routes = new aws.ec2.RouteTable("fleet", { vpcId: vpc.id });
new aws.ec2.Route("out", {
  routeTableId: routes.id,
  destinationCidrBlock: "0.0.0.0/0",
  gatewayId: gateway.id,
});
const group = new aws.ec2.SecurityGroup("fleet", { vpcId: vpc.id });
for (const port of [22, 8080]) {
  new aws.vpc.SecurityGroupIngressRule(`port-${port}`, {
    securityGroupId: group.id,
    ipProtocol: "tcp",
    fromPort: port,
    toPort: port,
    cidrIpv4: vpc.cidrBlock,
  });
}
const key = new aws.kms.Key("fleet", { enableKeyRotation: true, deletionWindowInDays: 7 });
const trust = aws.iam.getPolicyDocumentOutput({
  statements: [
    { actions: ["sts:AssumeRole"], principals: [{ type: "Service", identifiers: ["ec2.amazonaws.com"] }] },
  ],
});
const role = new aws.iam.Role("fleet", { assumeRolePolicy: trust.json });
const profile = new aws.iam.InstanceProfile("fleet", { role: role.name });
const targets = new aws.lb.TargetGroup("fleet", {
  port: 8080,
  protocol: "TCP",
  vpcId: vpc.id,
  preserveClientIp: "false",
  deregistrationDelay: 0,
  healthCheck: { protocol: "TCP", interval: 10, healthyThreshold: 2, unhealthyThreshold: 2 },
});

/** Formats the volume only if it is blank, mounts it, and serves what lies on it. */
const PREPARE = `set -eu
device=/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_$VOLUME
for try in $(seq 100); do [ -e "$device" ] && break; sleep 0.1; done
sudo blkid "$device" >/dev/null 2>&1 || sudo mkfs.ext4 -q "$device"
sudo mkdir -p /data
grep -q " /data " /etc/fstab || echo "$device /data ext4 defaults,nofail 0 2" | sudo tee -a /etc/fstab >/dev/null
mountpoint -q /data || sudo mount /data
echo "$MEMBER $INSTANCE" | sudo tee -a /data/history >/dev/null
echo "$MEMBER" | sudo tee /data/member >/dev/null
sync
sudo systemctl is-active --quiet fleet-page || sudo systemd-run --quiet --unit=fleet-page python3 -m http.server 8080 --directory /data
cat /data/history`;

const servers = [0, 1, 2].map((index) => {
  const name = `server-${index}`;
  const subnet = new aws.ec2.Subnet(name, {
    vpcId: vpc.id,
    cidrBlock: `10.0.${index}.0/24`,
    availabilityZone: zones[index],
  });
  new aws.ec2.RouteTableAssociation(name, { subnetId: subnet.id, routeTableId: routes.id });
  const nic = new aws.ec2.NetworkInterface(name, {
    subnetId: subnet.id,
    privateIps: [`10.0.${index}.10`],
    securityGroups: [group.id],
  });
  const volume = new aws.ebs.Volume(name, {
    availabilityZone: zones[index],
    size: 1,
    type: "gp3",
    encrypted: true,
    kmsKeyId: key.arn,
  });
  const hostKey = new tls.PrivateKey(`${name}-host`, { algorithm: "ED25519" });
  const instance = new aws.ec2.Instance(
    name,
    {
      ami: image.id,
      instanceType: "t3.micro",
      keyName: keyPair.keyName,
      iamInstanceProfile: profile.name,
      primaryNetworkInterface: { networkInterfaceId: nic.id },
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      rootBlockDevice: { encrypted: true },
      userData: pulumi
        .jsonStringify({
          ssh_keys: { ed25519_private: hostKey.privateKeyOpenssh, ed25519_public: hostKey.publicKeyOpenssh },
          write_files: [{ path: "/etc/generation", content: index === 1 ? generation : "one" }],
        })
        .apply((settings) => `#cloud-config\n${settings}\n`),
      userDataReplaceOnChange: true,
      tags: { Name: name },
    },
    { deleteBeforeReplace: true },
  );
  const attachment = new aws.ec2.VolumeAttachment(
    name,
    {
      instanceId: instance.id,
      volumeId: volume.id,
      deviceName: "/dev/sdf",
      stopInstanceBeforeDetaching: true,
    },
    { deleteBeforeReplace: true },
  );
  const prepared = new command.remote.Command(
    name,
    {
      connection: {
        host: nic.privateIp,
        user: "debian",
        privateKey: login.privateKeyOpenssh,
        hostKey: hostKey.publicKeyOpenssh,
        dialErrorLimit: 60,
        perDialTimeout: 5,
      },
      create: pulumi.interpolate`VOLUME=${volume.id.apply((id) => id.replace("-", ""))} INSTANCE=${instance.id} MEMBER=${name}
${PREPARE}`,
      triggers: [instance.id],
    },
    { dependsOn: [attachment], deleteBeforeReplace: true },
  );
  new aws.lb.TargetGroupAttachment(
    name,
    { targetGroupArn: targets.arn, targetId: instance.id, port: 8080 },
    { dependsOn: [prepared], deleteBeforeReplace: true },
  );
  return { subnet, nic, volume, instance, prepared, hostKey };
});

const balancer = new aws.lb.LoadBalancer("fleet", {
  internal: true,
  loadBalancerType: "network",
  enableCrossZoneLoadBalancing: true,
  subnets: servers.map(({ subnet }) => subnet.id),
});
new aws.lb.Listener("fleet", {
  loadBalancerArn: balancer.arn,
  port: 80,
  protocol: "TCP",
  defaultActions: [{ type: "forward", targetGroupArn: targets.arn }],
});

if (steal) {
  new aws.ec2.VolumeAttachment("stolen", {
    instanceId: servers[0].instance.id,
    volumeId: servers[1].volume.id,
    deviceName: "/dev/sdg",
  });
}

module.exports = {
  page: pulumi.interpolate`http://${balancer.dnsName}/member`,
  loginKey: login.privateKeyOpenssh,
  servers: servers.map(({ instance, volume, prepared, nic, hostKey }) => ({
    id: instance.id,
    address: nic.privateIp,
    hostKey: hostKey.publicKeyOpenssh,
    volume: volume.id,
    history: prepared.stdout,
  })),
};
