"use strict";
const aws = require("@pulumi/aws");
const good = require("../good");

new aws.eks.Cluster("main", { ...good.eks, enabledClusterLogTypes: ["api"] });
