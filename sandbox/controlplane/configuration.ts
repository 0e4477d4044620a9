import { join } from "node:path";
import { writePrivate } from "../../lib/files";
import type { Layout } from "./layout";

/** The configuration files of the API server. */
export interface ConfigurationFiles {
  auditPolicy: string;
  authentication: string;
}

/** Names the configuration files. */
export function configurationFiles(layout: Layout): ConfigurationFiles {
  return {
    auditPolicy: join(layout.configuration, "audit-policy.json"),
    authentication: join(layout.configuration, "authentication.json"),
  };
}

/** Writes the configuration files; they are JSON, which the components read as YAML. */
export async function writeConfiguration(layout: Layout, jwt: readonly object[]): Promise<void> {
  const files = configurationFiles(layout);
  const providers = jwt.length === 0 ? {} : { jwt };
  await Promise.all([
    writePrivate(files.auditPolicy, `${JSON.stringify(auditPolicy, undefined, 2)}\n`),
    writePrivate(
      files.authentication,
      `${JSON.stringify({ ...authentication, ...providers }, undefined, 2)}\n`,
    ),
  ]);
}

/**
 * Who did what to which object, never the object itself: at this level no body is written, so no secret can be.
 * Left out is what only shows that the cluster is alive.
 */
const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "None",
      nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version", "/metrics", "/openapi/*"],
    },
    { level: "None", resources: [{ group: "coordination.k8s.io", resources: ["leases"] }] },
    {
      level: "None",
      verbs: ["get", "list", "watch"],
      resources: [{ group: "", resources: ["events"] }, { group: "events.k8s.io" }],
    },
    { level: "Metadata" },
  ],
};

/** Without a certificate or token one learns whether the API server is alive, and nothing else. */
const authentication = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AuthenticationConfiguration",
  anonymous: { enabled: true, conditions: [{ path: "/healthz" }, { path: "/livez" }, { path: "/readyz" }] },
};
