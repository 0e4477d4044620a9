import { yaml } from "../cluster/yaml";

/** The files that the API server of a hub is configured with. */
export function hubConfiguration(): Record<string, string> {
  return {
    "audit-policy.yaml": yaml(auditPolicy),
    "authentication.yaml": yaml(authentication),
  };
}

/**
 * Who did what to which object, never the object itself: what is placed into clusters holds Secrets, also inside of other
 * objects. Left out is what only shows that the hub is alive.
 */
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "None",
      nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version", "/metrics", "/openapi*"],
    },
    { level: "None", resources: [{ group: "coordination.k8s.io", resources: ["leases"] }] },
    { level: "Metadata" },
  ],
};

/** Without a certificate or token one learns whether the API server is alive, and nothing else. */
const authentication = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthenticationConfiguration",
  anonymous: { enabled: true, conditions: [{ path: "/healthz" }, { path: "/livez" }, { path: "/readyz" }] },
};
