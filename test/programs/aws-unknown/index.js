"use strict";

const aws = require("@pulumi/aws");

new aws.ec2.Vpc("strange", { cidrBlock: "10.0.0.0/16", ipv4IpamPoolId: "ipam-pool-1" });
