import { type Cases, type Example, UNKNOWN } from "../../testing/cases";
import { CLUSTER_ROLE, ROLE } from "../shared/rbac-rules";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const CRON_JOB = "kubernetes:batch/v1:CronJob";
const DIGEST = `@sha256:${"ab".repeat(32)}`;

/** A pod with one container. */
const pod = (container: object, spec: object = {}): Example => ({
  spec: { ...spec, containers: [{ name: "one", ...container }] },
});
const secure = (securityContext: object): Example => pod({ securityContext });
const deployment = (podSpec: object): Example => ({
  $type: DEPLOYMENT,
  spec: { template: { spec: podSpec } },
});
const cronJob = (podSpec: object): Example => ({
  $type: CRON_JOB,
  spec: { jobTemplate: { spec: { template: { spec: podSpec } } } },
});
const role = (...rules: object[]): Example => ({ $type: ROLE, rules });
const clusterRole = (...rules: object[]): Example => ({ $type: CLUSTER_ROLE, rules });
const rule = (apiGroup: string, resource: string, ...verbs: string[]) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
});
const BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding";
const NAMESPACE = { $type: "kubernetes:core/v1:Namespace", $name: "web", metadata: { name: "web" } };
const NETWORK_POLICY = {
  $type: "kubernetes:networking.k8s.io/v1:NetworkPolicy",
  $name: "closed",
  metadata: { namespace: "web" },
  spec: { podSelector: {}, policyTypes: ["Ingress"] },
};

/** Examples for the policies of this pack. */
export const CASES: Readonly<Record<string, Cases>> = {
  "kubernetes-pod-not-privileged": {
    passes: [pod({}), secure({ privileged: false })],
    fails: [
      [secure({ privileged: true }), "spec.containers[0].securityContext.privileged is true"],
      [
        deployment({ containers: [], initContainers: [{ securityContext: { privileged: true } }] }),
        "spec.template.spec.initContainers[0].securityContext.privileged",
      ],
      [
        cronJob({ containers: [{ image: UNKNOWN, securityContext: { privileged: true } }] }),
        "spec.jobTemplate.spec.template.spec.containers[0]",
      ],
    ],
    unknown: [secure({ privileged: UNKNOWN }), { spec: UNKNOWN }],
  },
  "kubernetes-pod-no-host-namespaces": {
    passes: [pod({}), pod({}, { hostNetwork: false })],
    fails: [
      [pod({}, { hostPID: true }), "spec.hostPID is true"],
      [deployment({ hostNetwork: true }), "spec.template.spec.hostNetwork is true"],
      [pod({}, { hostIPC: true }), "spec.hostIPC is true"],
    ],
    unknown: [pod({}, { hostIPC: UNKNOWN })],
  },
  "kubernetes-pod-no-escalation": {
    passes: [secure({ allowPrivilegeEscalation: false })],
    fails: [[pod({}), "allowPrivilegeEscalation is not set"]],
    unknown: [secure({ allowPrivilegeEscalation: UNKNOWN })],
  },
  "kubernetes-pod-runs-as-non-root": {
    passes: [
      secure({ runAsNonRoot: true }),
      pod({}, { securityContext: { runAsNonRoot: true, runAsUser: 1000 } }),
    ],
    fails: [
      [pod({}), "runAsNonRoot is not set"],
      [secure({ runAsNonRoot: true, runAsUser: 0 }), "runAsUser is 0"],
      [
        pod({ securityContext: { runAsNonRoot: false } }, { securityContext: { runAsNonRoot: true } }),
        "spec.containers[0].securityContext.runAsNonRoot is false",
      ],
    ],
    unknown: [secure({ runAsNonRoot: UNKNOWN })],
  },
  "kubernetes-pod-drops-capabilities": {
    passes: [
      secure({ capabilities: { drop: ["ALL"] } }),
      secure({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
    ],
    fails: [
      [pod({}), "capabilities.drop is not set"],
      [secure({ capabilities: { drop: ["ALL"], add: ["NET_RAW"] } }), 'capabilities.add[0] is "NET_RAW"'],
    ],
    unknown: [secure({ capabilities: UNKNOWN })],
  },
  "kubernetes-pod-read-only-root": {
    passes: [secure({ readOnlyRootFilesystem: true })],
    fails: [[pod({}), "readOnlyRootFilesystem is not set"]],
    unknown: [secure(UNKNOWN as unknown as object)],
  },
  "kubernetes-pod-no-host-path": {
    passes: [pod({}, { volumes: [{ emptyDir: {} }] })],
    fails: [
      [
        pod({}, { volumes: [{ hostPath: { path: UNKNOWN } }, { hostPath: { path: "/etc" } }] }),
        'spec.volumes[1].hostPath.path is "/etc"',
      ],
    ],
    unknown: [pod({}, { volumes: UNKNOWN })],
  },
  "kubernetes-pod-no-host-port": {
    passes: [pod({ ports: [{ containerPort: 80 }] })],
    fails: [[pod({ ports: [{ containerPort: 80, hostPort: 80 }] }), "ports[0].hostPort is 80"]],
    unknown: [pod({ ports: [{ hostPort: UNKNOWN }] })],
  },
  "kubernetes-pod-seccomp": {
    passes: [
      secure({ seccompProfile: { type: "Localhost" } }),
      pod({}, { securityContext: { seccompProfile: { type: "RuntimeDefault" } } }),
    ],
    fails: [
      [pod({}), "seccompProfile.type is not set"],
      [secure({ seccompProfile: { type: "Unconfined" } }), '"Unconfined"'],
    ],
    unknown: [secure({ seccompProfile: UNKNOWN })],
  },
  "kubernetes-pod-own-service-account": {
    passes: [pod({}, { serviceAccountName: "web" }), pod({}, { automountServiceAccountToken: false })],
    fails: [
      [pod({}), "spec.serviceAccountName is not set"],
      [deployment({ serviceAccountName: "default" }), 'serviceAccountName is "default"'],
    ],
    unknown: [pod({}, { serviceAccountName: UNKNOWN })],
  },
  "kubernetes-pod-secrets-as-files": {
    passes: [pod({ env: [{ name: "A", value: "b" }], envFrom: [{ configMapRef: { name: "settings" } }] })],
    fails: [
      [
        pod({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "keys", key: "a" } } }] }),
        "env[0].valueFrom.secretKeyRef",
      ],
      [pod({ envFrom: [{ secretRef: { name: "keys" } }] }), "envFrom[0].secretRef"],
    ],
    unknown: [pod({ env: UNKNOWN })],
  },
  "kubernetes-pod-resources": {
    passes: [pod({ resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } } })],
    fails: [
      [pod({ resources: { requests: { cpu: "1", memory: "1Gi" } } }), "resources.limits.memory is not set"],
    ],
    unknown: [pod({ resources: UNKNOWN })],
  },
  "kubernetes-deployment-replicas": {
    passes: [{ spec: { replicas: 2 } }],
    fails: [
      [{ spec: { replicas: 1 } }, "spec.replicas is 1"],
      [{ spec: {} }, "spec.replicas is not set"],
    ],
    unknown: [{ spec: { replicas: UNKNOWN } }],
  },
  "kubernetes-disruption-budget-allows-disruption": {
    passes: [{ spec: { maxUnavailable: 1 } }, { spec: { minAvailable: "50%" } }],
    fails: [
      [{ spec: { maxUnavailable: 0 } }, "spec.maxUnavailable is 0"],
      [{ spec: { minAvailable: "100%" } }, "spec.minAvailable"],
    ],
    unknown: [{ spec: { maxUnavailable: UNKNOWN } }],
  },
  "kubernetes-image-registry": {
    passes: [
      pod({ image: "registry.k8s.io/pause:3.10" }),
      pod({ image: `123456789012.dkr.ecr.eu-central-1.amazonaws.com/web${DIGEST}` }),
    ],
    fails: [
      [pod({ image: "nginx" }), 'image is "nginx"'],
      [pod({ image: "evil.example:5000/registry.k8s.io/pause" }), "evil.example"],
    ],
    unknown: [pod({ image: UNKNOWN })],
  },
  "kubernetes-image-digest": {
    passes: [pod({ image: `nginx${DIGEST}` }), pod({ image: `localhost:5000/nginx:1.29${DIGEST}` })],
    fails: [
      [pod({ image: "registry.k8s.io/pause:3.10" }), "image is"],
      [pod({ image: "nginx@sha256:short" }), "image is"],
    ],
    unknown: [pod({ image: UNKNOWN })],
  },
  "kubernetes-rbac-no-cluster-admin": {
    passes: [{ $type: BINDING, roleRef: { name: "view" } }],
    fails: [[{ $type: BINDING, roleRef: { name: "cluster-admin" } }, "roleRef.name is"]],
    unknown: [{ $type: BINDING, roleRef: UNKNOWN }],
  },
  "kubernetes-rbac-no-system-masters": {
    passes: [
      { $type: BINDING, subjects: [{ kind: "Group", name: "team" }] },
      {
        $type: "kubernetes:core/v1:ConfigMap",
        metadata: { name: "settings" },
        data: { groups: "system:masters" },
      },
    ],
    fails: [
      [{ $type: BINDING, subjects: [{ kind: "Group", name: "system:masters" }] }, "subjects[0].name"],
      [
        {
          $type: "kubernetes:core/v1:ConfigMap",
          metadata: { name: "aws-auth" },
          data: { mapRoles: "- groups: [system:masters]" },
        },
        "system:masters in mapRoles",
      ],
    ],
    unknown: [{ $type: BINDING, subjects: [{ name: UNKNOWN }] }],
  },
  "kubernetes-rbac-no-wildcards": {
    passes: [role(rule("", "pods", "get"))],
    fails: [
      [clusterRole(rule("", "pods", "*")), "rules[0].verbs[0]"],
      [role(rule("*", "pods", "get")), "rules[0].apiGroups[0]"],
      [role(rule("", "*", "get")), "rules[0].resources[0]"],
    ],
    unknown: [role({ apiGroups: [""], resources: UNKNOWN, verbs: ["get"] })],
  },
  "kubernetes-rbac-no-secret-listing": {
    passes: [
      clusterRole(rule("", "configmaps", "list"), { ...rule("", "secrets", "get"), resourceNames: ["one"] }),
      clusterRole(rule("", "secrets", "create")),
    ],
    fails: [
      [clusterRole(rule("", "secrets", "list")), "rules[0] is a rule that grants read access to all Secrets"],
      [clusterRole(rule("*", "*", "*")), "grants read access to all Secrets"],
    ],
    unknown: [clusterRole({ apiGroups: [""], resources: ["secrets"], verbs: UNKNOWN })],
  },
  "kubernetes-rbac-no-escalation": {
    passes: [role(rule("rbac.authorization.k8s.io", "roles", "get"))],
    fails: [
      [
        clusterRole(rule("rbac.authorization.k8s.io", "clusterroles", "get", "escalate")),
        'verbs[1] is "escalate"',
      ],
    ],
    unknown: [role({ verbs: [UNKNOWN] })],
  },
  "kubernetes-rbac-no-node-proxy": {
    passes: [clusterRole(rule("", "nodes", "get"), rule("", "nodes/metrics", "get"))],
    fails: [[clusterRole(rule("", "nodes/proxy", "get")), "a rule that grants nodes/proxy"]],
    unknown: [clusterRole({ apiGroups: [""], resources: UNKNOWN, verbs: ["get"] })],
  },
  "kubernetes-rbac-no-token-creation": {
    passes: [role({ ...rule("", "serviceaccounts/token", "create"), resourceNames: ["web"] })],
    fails: [
      [role(rule("", "serviceaccounts/token", "create")), "grants token creation for any service account"],
    ],
    unknown: [role({ ...rule("", "serviceaccounts/token", "create"), resourceNames: UNKNOWN })],
  },
  "kubernetes-rbac-no-webhook-writes": {
    passes: [clusterRole(rule("admissionregistration.k8s.io", "validatingwebhookconfigurations", "get"))],
    fails: [
      [
        clusterRole(rule("admissionregistration.k8s.io", "mutatingwebhookconfigurations", "patch")),
        "grants write access to webhook configurations",
      ],
    ],
    unknown: [
      clusterRole({ apiGroups: UNKNOWN, resources: ["mutatingwebhookconfigurations"], verbs: ["patch"] }),
    ],
  },
  "kubernetes-rbac-no-pod-creation-for-all": {
    passes: [clusterRole(rule("", "pods", "get"))],
    fails: [[clusterRole(rule("", "pods", "create")), "grants pod creation in all namespaces"]],
    unknown: [clusterRole({ apiGroups: [""], resources: ["pods"], verbs: UNKNOWN })],
  },
  "kubernetes-service-account-no-automount": {
    passes: [{ automountServiceAccountToken: false }],
    fails: [[{}, "automountServiceAccountToken is not set"]],
    unknown: [{ automountServiceAccountToken: UNKNOWN }],
  },
  "kubernetes-namespace-pod-security": {
    passes: [{ metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } } }],
    fails: [
      [{ metadata: { name: "web" } }, "metadata.labels.pod-security.kubernetes.io/enforce is not set"],
      [{ metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } }, '"privileged"'],
    ],
    unknown: [{ metadata: { labels: UNKNOWN } }],
  },
  "kubernetes-namespace-default-deny": {
    passes: [
      [NAMESPACE, NETWORK_POLICY],
      [
        { ...NAMESPACE, metadata: { name: UNKNOWN } },
        { ...NETWORK_POLICY, metadata: { namespace: UNKNOWN }, $from: { metadata: ["web"] } },
      ],
    ],
    fails: [
      [[NAMESPACE], "no default-deny ingress NetworkPolicy"],
      [[NAMESPACE, { ...NETWORK_POLICY, spec: { podSelector: {}, ingress: [{}] } }], "no default-deny"],
      [
        [NAMESPACE, { ...NETWORK_POLICY, spec: { podSelector: { matchLabels: { app: "web" } } } }],
        "no default-deny",
      ],
      [[NAMESPACE, { ...NETWORK_POLICY, metadata: { namespace: "other" } }], "no default-deny"],
    ],
    unknown: [
      [
        { ...NAMESPACE, metadata: { name: UNKNOWN } },
        { ...NETWORK_POLICY, metadata: { namespace: UNKNOWN } },
      ],
    ],
  },
  "kubernetes-namespace-not-default": {
    passes: [{ metadata: { namespace: "web" } }, { metadata: {}, $provider: { namespace: "web" } }],
    fails: [
      [{ metadata: { name: "one" } }, "metadata.namespace is not set"],
      [{ $type: "kubernetes:core/v1:Service", metadata: { namespace: "default" } }, '"default"'],
    ],
    unknown: [{ metadata: { namespace: UNKNOWN } }],
  },
};
