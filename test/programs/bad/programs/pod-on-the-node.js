"use strict";
const kubernetes = require("@pulumi/kubernetes");
const good = require("../good");

const volumes = [{ name: "root", hostPath: { path: "/" } }];
new kubernetes.apps.v1.Deployment("web", good.deployment({}, { volumes }));
