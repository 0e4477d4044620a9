"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ec2.DefaultSecurityGroup("default", {
  vpcId: "vpc-12345678",
  ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, self: true }],
  tags: good.tags,
});
