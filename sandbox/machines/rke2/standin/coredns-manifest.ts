import { COREDNS_IMAGE } from "../../images/coredns-name";
import type { Settings } from "./settings";

const NAME = "rke2-coredns-rke2-coredns";
const LABELS = {
  "k8s-app": "kube-dns",
  "app.kubernetes.io/name": "rke2-coredns",
  "kubernetes.io/cluster-service": "true",
};
const NAMESPACE = "kube-system";

/** The objects of the cluster's name server, in the place of RKE2's packaged chart. */
export function corednsObjects(settings: Pick<Settings, "clusterDns" | "clusterDomain">): unknown[] {
  const meta = (name: string): Record<string, unknown> => ({ name, namespace: NAMESPACE, labels: LABELS });
  const rbac = "rbac.authorization.k8s.io";
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: meta("coredns") },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: NAME, labels: LABELS },
      rules: [
        {
          apiGroups: [""],
          resources: ["endpoints", "services", "pods", "namespaces"],
          verbs: ["list", "watch"],
        },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: NAME, labels: LABELS },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: NAME },
      subjects: [{ kind: "ServiceAccount", name: "coredns", namespace: NAMESPACE }],
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta(NAME),
      data: { Corefile: corefile(settings.clusterDomain) },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta("kube-dns"),
      spec: {
        clusterIP: settings.clusterDns,
        selector: { "k8s-app": "kube-dns" },
        ports: [
          { name: "udp-53", port: 53, protocol: "UDP", targetPort: 53 },
          { name: "tcp-53", port: 53, protocol: "TCP", targetPort: 53 },
        ],
      },
    },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: meta(NAME), spec: deployment() },
  ];
}

// No forward: nothing outside of the sandbox answers, and a name that is not the cluster's is refused at once.
function corefile(domain: string): string {
  return `.:53 {
    errors
    health {
        lameduck 2s
    }
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
        pods insecure
        ttl 5
    }
    cache 5
    reload
    loadbalance
}
`;
}

function deployment(): unknown {
  return {
    replicas: 1,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    selector: { matchLabels: { "k8s-app": "kube-dns" } },
    template: {
      metadata: { labels: LABELS },
      spec: {
        priorityClassName: "system-cluster-critical",
        serviceAccountName: "coredns",
        dnsPolicy: "Default",
        // A node that is gone takes the name server with it for this long, instead of five minutes.
        tolerations: [
          { key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" },
          { key: "node-role.kubernetes.io/etcd", operator: "Exists", effect: "NoExecute" },
          { key: "CriticalAddonsOnly", operator: "Exists" },
          {
            key: "node.kubernetes.io/not-ready",
            operator: "Exists",
            effect: "NoExecute",
            tolerationSeconds: 30,
          },
          {
            key: "node.kubernetes.io/unreachable",
            operator: "Exists",
            effect: "NoExecute",
            tolerationSeconds: 30,
          },
        ],
        containers: [
          {
            name: "coredns",
            image: COREDNS_IMAGE,
            imagePullPolicy: "IfNotPresent",
            args: ["-conf", "/etc/coredns/Corefile"],
            ports: [
              { name: "udp-53", containerPort: 53, protocol: "UDP" },
              { name: "tcp-53", containerPort: 53, protocol: "TCP" },
            ],
            resources: { requests: { cpu: "50m", memory: "64Mi" } },
            readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 2 },
            livenessProbe: {
              httpGet: { path: "/health", port: 8080 },
              periodSeconds: 10,
              initialDelaySeconds: 20,
            },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] },
            },
            volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
          },
        ],
        volumes: [{ name: "config", configMap: { name: NAME } }],
      },
    },
  };
}
