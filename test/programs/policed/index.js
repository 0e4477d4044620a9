"use strict";
const aws = require("@pulumi/aws");
const pulumi = require("@pulumi/pulumi");
const tls = require("@pulumi/tls");

const tags = { owner: "platform", "cost-centre": "42", "fleetwright.dev/cluster": "main" };
const key = new tls.PrivateKey("key", { algorithm: "ED25519" });

new aws.ebs.Volume("later", {
  availabilityZone: "eu-central-1a",
  size: 8,
  encrypted: key.id.apply(() => true),
  tags,
});
new aws.ec2.LaunchTemplate("hidden", {
  instanceType: pulumi.secret("hush.large"),
  metadataOptions: { httpTokens: "required" },
  tags: { ...tags, "fleetwright.dev/node-pool": "web" },
});
