"use strict";

// Resources with nothing wrong, for programs to change one thing of.

exports.tags = { owner: "platform", "cost-centre": "42", "fleetwright.dev/cluster": "main" };

exports.instance = {
  ami: "ami-12345678",
  instanceType: "t3.medium",
  iamInstanceProfile: "nodes",
  metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  rootBlockDevice: { encrypted: true },
  monitoring: true,
  subnetId: "subnet-12345678",
  tags: exports.tags,
};

exports.container = {
  name: "web",
  image: `registry.k8s.io/pause@sha256:${"ab".repeat(32)}`,
  resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "16Mi" } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
};

/** A deployment of one container, with some of both changed. */
exports.deployment = (container = {}, pod = {}) => ({
  metadata: { name: "web", namespace: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { serviceAccountName: "web", containers: [{ ...exports.container, ...container }], ...pod },
    },
  },
});

exports.eks = {
  roleArn: "arn:aws:iam::123456789012:role/eks",
  version: "1.35",
  accessConfig: { authenticationMode: "API" },
  enabledClusterLogTypes: ["api", "audit", "authenticator", "controllerManager", "scheduler"],
  encryptionConfig: {
    provider: { keyArn: "arn:aws:kms:eu-central-1:123456789012:key/k" },
    resources: ["secrets"],
  },
  vpcConfig: {
    subnetIds: ["subnet-1", "subnet-2"],
    endpointPrivateAccess: true,
    endpointPublicAccess: false,
  },
  tags: exports.tags,
};
