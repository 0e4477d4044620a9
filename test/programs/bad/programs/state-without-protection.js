"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.ebs.Volume("state", {
  availabilityZone: "eu-central-1a",
  size: 8,
  encrypted: true,
  kmsKeyId: "arn:aws:kms:eu-central-1:123456789012:key/k",
  tags: { ...good.tags, "fleetwright.dev/state-of": "main" },
});
