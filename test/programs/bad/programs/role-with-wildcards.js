"use strict";
const kubernetes = require("@pulumi/kubernetes");

new kubernetes.rbac.v1.Role("all", {
  metadata: { name: "all", namespace: "web" },
  rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] }],
});
