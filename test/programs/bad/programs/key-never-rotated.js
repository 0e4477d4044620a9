"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.kms.Key("state", { description: "state", enableKeyRotation: false, tags: good.tags });
