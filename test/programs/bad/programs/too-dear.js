"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

for (const index of [1, 2, 3]) {
  new aws.ec2.Instance(`web-${index}`, { ...good.instance, instanceType: "m7i.16xlarge" });
}
