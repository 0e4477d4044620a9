"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ebs.Volume("data", { availabilityZone: "eu-central-1a", size: 8, encrypted: false, tags: good.tags });
