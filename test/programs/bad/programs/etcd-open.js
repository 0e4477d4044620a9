"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.vpc.SecurityGroupIngressRule("etcd", {
  securityGroupId: "sg-12345678",
  description: "etcd",
  ipProtocol: "tcp",
  fromPort: 2379,
  toPort: 2380,
  cidrIpv4: "0.0.0.0/0",
});
