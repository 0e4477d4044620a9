"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ec2.Instance("web", { ...good.instance, associatePublicIpAddress: true });
