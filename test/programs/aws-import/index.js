"use strict";

const aws = require("@pulumi/aws");
const pulumi = require("@pulumi/pulumi");

const id = new pulumi.Config().require("vpc");
const vpc = new aws.ec2.Vpc(
  "taken",
  { cidrBlock: "10.20.0.0/16", enableDnsHostnames: true, tags: { Name: "older" } },
  { import: id },
);

module.exports = { id: vpc.id, arn: vpc.arn };
