"use strict";
const pulumi = require("@pulumi/pulumi");

new pulumi.ComponentResource("fleetwright:index:RkeCluster", "main", {
  distribution: "rke2",
  version: "v1.27.9+rke2r1",
  etcdSnapshots: { bucket: "snapshots" },
});
