"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.eks.Cluster("main", {
  ...good.eks,
  vpcConfig: { ...good.eks.vpcConfig, endpointPublicAccess: true, publicAccessCidrs: ["0.0.0.0/0"] },
});
