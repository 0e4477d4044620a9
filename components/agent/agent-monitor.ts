// How the Prometheus operator scrapes the agents: a Service, a ServiceMonitor, a certificate that it knows them by and an account that they know
// it by. The agents' port is one of the host, so neither is left to the network.
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { METRICS_PORT } from "../../api/agent-pod-requirements";
import { metadataOf, type Labels } from "../addons/declaration";
import { transformed, type Transform } from "../transform";

/** Overrides for what the agents are scraped by. */
export interface MonitorTransforms {
  certificate?: Transform<tls.SelfSignedCertArgs>;
  serviceMonitor?: Transform<kubernetes.apiextensions.CustomResourceArgs>;
}

/** Where the agent's container has its certificate. */
export const TLS_FOLDER = "/etc/fleetwright-tls";

const NAME = "fleetwright-agent";
const READER = "fleetwright-metrics-reader-agent";
const DAY_HOURS = 24;
/** A certificate of its own that nobody else signs; `pulumi up` renews it in its last year. */
const LASTS_HOURS = 5 * 365 * DAY_HOURS;
const RENEWED_HOURS = 365 * DAY_HOURS;

/** What the monitor is for. */
export interface MonitorArgs {
  namespace: pulumi.Input<string>;
  selector: Labels;
  labels: Labels;
  transform: MonitorTransforms;
}

type OwnMetadata = ReturnType<typeof metadataOf> & { namespace: pulumi.Input<string> };

/** Declares all of it. Gives the Secret with the agents' certificate. */
export function declareMonitor(
  parent: pulumi.ComponentResource,
  name: string,
  { namespace, selector, labels, transform }: MonitorArgs,
): { secretName: pulumi.Output<string> } {
  const child = { parent };
  const own = (objectName: string): OwnMetadata => ({
    ...metadataOf(objectName, { ...labels, ...selector }),
    namespace,
  });
  const serverName = pulumi.interpolate`${NAME}.${namespace}.svc`;
  const key = new tls.PrivateKey(`${name}-metrics`, { algorithm: "ECDSA", ecdsaCurve: "P256" }, child);
  const certificate = new tls.SelfSignedCert(
    ...transformed<tls.SelfSignedCertArgs>(
      transform.certificate,
      `${name}-metrics`,
      {
        privateKeyPem: key.privateKeyPem,
        subject: { commonName: NAME },
        dnsNames: [serverName],
        allowedUses: ["digital_signature", "server_auth"],
        validityPeriodHours: LASTS_HOURS,
        earlyRenewalHours: RENEWED_HOURS,
      },
      child,
    ),
  );
  const secret = new kubernetes.core.v1.Secret(
    `${name}-metrics`,
    {
      metadata: own(`${NAME}-tls`),
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": certificate.certPem, "tls.key": key.privateKeyPem },
    },
    child,
  );
  // Apart from the key: who checks the certificate needs nothing secret.
  const authority = new kubernetes.core.v1.ConfigMap(
    `${name}-metrics`,
    { metadata: own(`${NAME}-tls`), data: { "ca.crt": certificate.certPem } },
    child,
  );
  const token = declareReader(child, name, own(READER));
  new kubernetes.core.v1.Service(
    `${name}-metrics`,
    {
      metadata: own(NAME),
      spec: {
        clusterIP: "None",
        selector,
        ports: [{ name: "metrics", port: METRICS_PORT, targetPort: "metrics" }],
      },
    },
    child,
  );
  new kubernetes.apiextensions.CustomResource(
    ...transformed<kubernetes.apiextensions.CustomResourceArgs>(
      transform.serviceMonitor,
      `${name}-monitor`,
      {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "ServiceMonitor",
        metadata: own(NAME),
        spec: {
          selector: { matchLabels: selector },
          endpoints: [
            {
              port: "metrics",
              scheme: "https",
              tlsConfig: { ca: { configMap: { name: authority.metadata.name, key: "ca.crt" } }, serverName },
              authorization: { type: "Bearer", credentials: { name: token, key: "token" } },
              relabelings: [{ sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" }],
            },
          ],
        },
      },
      child,
    ),
  );
  return { secretName: secret.metadata.name };
}

/**
 * An account that may read metrics and do nothing else. A ServiceMonitor takes its token from a Secret only; the one of Prometheus itself, which can
 * do more, would go to every node.
 */
function declareReader(
  child: pulumi.CustomResourceOptions,
  name: string,
  metadata: OwnMetadata,
): pulumi.Output<string> {
  const account = new kubernetes.core.v1.ServiceAccount(
    `${name}-metrics-reader`,
    { metadata, automountServiceAccountToken: false },
    child,
  );
  const { namespace, ...everywhere } = metadata;
  const role = new kubernetes.rbac.v1.ClusterRole(
    `${name}-metrics-reader`,
    { metadata: everywhere, rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] },
    child,
  );
  new kubernetes.rbac.v1.ClusterRoleBinding(
    `${name}-metrics-reader`,
    {
      metadata: everywhere,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
      subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace }],
    },
    child,
  );
  const annotations = {
    ...metadata.annotations,
    "kubernetes.io/service-account.name": account.metadata.name,
  };
  const token = new kubernetes.core.v1.Secret(
    `${name}-metrics-reader`,
    { metadata: { ...metadata, annotations }, type: "kubernetes.io/service-account-token" },
    child,
  );
  return token.metadata.name;
}
