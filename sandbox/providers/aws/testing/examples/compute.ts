import type * as aws from "@pulumi/aws";
import { example } from "./example";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO8UlkO4WbNQAhXNJ7Qp4pUQCuTHtvXbjUKDCZNfZk9y example";

/** The types of machines and their disks. */
export const compute = [
  example<aws.ec2.KeyPairArgs>({
    token: "aws:ec2/keyPair:KeyPair",
    inputs: () => ({ publicKey: KEY, tags: { Name: "example" } }),
    updates: () => ({}),
  }),
  example<aws.ec2.InstanceArgs>({
    token: "aws:ec2/instance:Instance",
    inputs: async (fixture) => ({
      ami: await fixture.image(),
      instanceType: "t3.micro",
      subnetId: await fixture.subnet(),
      vpcSecurityGroupIds: [await fixture.group()],
      privateIp: "10.7.0.90",
      userData: "#cloud-config\n{}\n",
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      rootBlockDevice: { volumeSize: 20, volumeType: "gp3" },
      tags: { Name: "example" },
    }),
    updates: async (fixture) => {
      const role = await fixture.role();
      const profile = await fixture.need("aws:iam/instanceProfile:InstanceProfile", "profile", {
        role: role.id,
      });
      return {
        disableApiTermination: false,
        iamInstanceProfile: profile.id,
        instanceType: "t3.small",
        metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 2 },
        rootBlockDevice: { volumeSize: 30, volumeType: "gp3" },
        sourceDestCheck: false,
        userData: "#cloud-config\n{hostname: other}\n",
        vpcSecurityGroupIds: [await fixture.group("other")],
      };
    },
    fixed: {
      disableApiTermination: "would keep the example from being deleted",
      instanceInitiatedShutdownBehavior: "moto has one answer",
      monitoring: "moto has one answer",
      secondaryPrivateIps: "belongs to the interface",
      userDataBase64: "the same as userData",
    },
  }),
  example<aws.ec2.LaunchTemplateArgs>({
    token: "aws:ec2/launchTemplate:LaunchTemplate",
    inputs: async (fixture) => ({
      imageId: await fixture.image(),
      instanceType: "t3.micro",
      vpcSecurityGroupIds: [await fixture.group()],
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [
        { deviceName: "/dev/xvda", ebs: { encrypted: "true", volumeSize: 20, volumeType: "gp3" } },
      ],
      tagSpecifications: [{ resourceType: "instance", tags: { role: "worker" } }],
      updateDefaultVersion: true,
      userData: "I2Nsb3VkLWNvbmZpZwo=",
      tags: { Name: "example" },
    }),
    updates: async (fixture) => ({
      blockDeviceMappings: [
        { deviceName: "/dev/xvda", ebs: { encrypted: "true", volumeSize: 40, volumeType: "gp3" } },
      ],
      description: "other",
      disableApiTermination: true,
      ebsOptimized: "true",
      iamInstanceProfile: { name: "somebody" },
      instanceType: "t3.small",
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 2 },
      monitoring: { enabled: true },
      tagSpecifications: [{ resourceType: "instance", tags: { role: "other" } }],
      userData: "I2Nsb3VkLWNvbmZpZwp7fQo=",
      vpcSecurityGroupIds: [await fixture.group("other")],
    }),
    fixed: {
      creditSpecification: "like the others",
      defaultVersion: "updateDefaultVersion sets it",
      imageId: "there is one image to choose",
      instanceInitiatedShutdownBehavior: "like the others",
      keyName: "like the others",
      networkInterfaces: "excludes vpcSecurityGroupIds",
      placement: "like the others",
    },
    untaggable: "moto keeps the tags of the creation",
  }),
  example<aws.ebs.VolumeArgs>({
    token: "aws:ebs/volume:Volume",
    inputs: (fixture) => ({
      availabilityZone: `${fixture.region}a`,
      size: 10,
      type: "gp3",
      encrypted: true,
      tags: { Name: "example" },
    }),
    updates: () => ({ size: 20, iops: 4000, throughput: 200 }),
    together: true,
    fixed: { type: "needs iops with it" },
  }),
  example<aws.ec2.VolumeAttachmentArgs>({
    token: "aws:ec2/volumeAttachment:VolumeAttachment",
    inputs: async (fixture) => ({
      deviceName: "/dev/sdf",
      instanceId: await fixture.instance("with-disk"),
      volumeId: await fixture.volume(),
      stopInstanceBeforeDetaching: true,
    }),
    updates: () => ({}),
    importId: (_id, state) =>
      ["deviceName", "volumeId", "instanceId"].map((name) => String(state[name])).join(":"),
  }),
  example<aws.ebs.SnapshotArgs>({
    token: "aws:ebs/snapshot:Snapshot",
    inputs: async (fixture) => ({
      volumeId: await fixture.volume("other-disk"),
      description: "before",
      tags: { Name: "example" },
    }),
    updates: () => ({}),
  }),
  example<aws.autoscaling.GroupArgs>({
    token: "aws:autoscaling/group:Group",
    inputs: async (fixture) => {
      const template = await fixture.need("aws:ec2/launchTemplate:LaunchTemplate", "template", {
        imageId: await fixture.image(),
        instanceType: "t3.micro",
      });
      return {
        minSize: 1,
        maxSize: 2,
        desiredCapacity: 1,
        launchTemplate: { id: template.id, version: "$Latest" },
        vpcZoneIdentifiers: [await fixture.subnet()],
        tags: [{ key: "Name", value: "example", propagateAtLaunch: true }],
      };
    },
    updates: async (fixture) => {
      const template = await fixture.need("aws:ec2/launchTemplate:LaunchTemplate", "other-template", {
        imageId: await fixture.image(),
        instanceType: "t3.small",
      });
      const group = await fixture.need("aws:lb/targetGroup:TargetGroup", "asg-targets", {
        port: 80,
        protocol: "TCP",
        vpcId: await fixture.vpc(),
      });
      return {
        capacityRebalance: true,
        desiredCapacity: 2,
        healthCheckGracePeriod: 100,
        healthCheckType: "ELB",
        instanceRefresh: { strategy: "Rolling", preferences: { minHealthyPercentage: 50 } },
        launchTemplate: { id: template.id, version: "$Latest" },
        maxSize: 3,
        minSize: 0,
        protectFromScaleIn: true,
        tags: [{ key: "Name", value: "other", propagateAtLaunch: true }],
        targetGroupArns: [group.id],
        vpcZoneIdentifiers: [await fixture.subnet(), await fixture.subnet(1)],
      };
    },
    fixed: {
      availabilityZones: "follows from the subnets",
      capacityRebalance: "moto keeps the first answer",
      defaultCooldown: "moto keeps the first answer",
      defaultInstanceWarmup: "moto does not answer with it",
      maxInstanceLifetime: "moto does not answer with it",
      terminationPolicies: "moto keeps the first answer",
      protectFromScaleIn: "would keep the group from being emptied",
    },
  }),
];
