"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ec2.Vpc("main", { cidrBlock: "10.0.0.0/16", tags: good.tags });
