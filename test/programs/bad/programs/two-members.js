"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

for (const zone of ["a", "b"]) {
  new aws.ebs.Volume(
    `state-${zone}`,
    {
      availabilityZone: `eu-central-1${zone}`,
      size: 8,
      encrypted: true,
      kmsKeyId: "arn:aws:kms:eu-central-1:123456789012:key/k",
      tags: { ...good.tags, "fleetwright.dev/state-of": "main" },
    },
    { protect: true },
  );
}
