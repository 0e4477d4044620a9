"use strict";
const kubernetes = require("@pulumi/kubernetes");
const good = require("../good");

const image = `docker.io/somebody/miner@sha256:${"ab".repeat(32)}`;
new kubernetes.apps.v1.Deployment("web", good.deployment({ image }));
