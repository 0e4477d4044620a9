"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ec2.Instance("web", { ...good.instance, userData: "export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE" });
