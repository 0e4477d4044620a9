/**
 * The endpoint of the service `kubernetes`. The sandbox's API server listens on a loopback address, which no endpoint may
 * have, so this says where machines and pods reach it. Apply it at {@link apiServerEndpointPath}.
 */
export function apiServerEndpoint(ip: string, port: number): Record<string, unknown> {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
}

/** Where {@link apiServerEndpoint} belongs in the API. */
export const apiServerEndpointPath = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
