"use strict";
const kubernetes = require("@pulumi/kubernetes");
const good = require("../good");

const securityContext = { ...good.container.securityContext, privileged: true };
new kubernetes.apps.v1.Deployment("web", good.deployment({ securityContext }));
