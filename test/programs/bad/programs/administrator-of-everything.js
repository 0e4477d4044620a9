"use strict";
const kubernetes = require("@pulumi/kubernetes");

new kubernetes.rbac.v1.ClusterRoleBinding("ci", {
  metadata: { name: "ci" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ kind: "ServiceAccount", name: "ci", namespace: "web" }],
});
