"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ec2.SecurityGroup("nodes", {
  description: "nodes",
  vpcId: "vpc-12345678",
  ingress: [{ description: "login", protocol: "tcp", fromPort: 22, toPort: 22, cidrBlocks: ["0.0.0.0/0"] }],
  tags: good.tags,
});
