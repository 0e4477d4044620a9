import type * as kubernetes from "@pulumi/kubernetes";

type Probes = Pick<
  kubernetes.types.input.core.v1.Container,
  "startupProbe" | "livenessProbe" | "readinessProbe"
>;

/** How a pod of ours is asked at its port `metrics`: two minutes to start, then whether it lives and whether it serves. */
export function probes(livenessSeconds: number, scheme?: "HTTPS"): Probes {
  const ask = (path: string): { httpGet: { path: string; port: string; scheme?: string } } => ({
    httpGet: { path, port: "metrics", ...(scheme === undefined ? {} : { scheme }) },
  });
  return {
    startupProbe: { ...ask("/healthz"), periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...ask("/healthz"), periodSeconds: livenessSeconds, timeoutSeconds: 10 },
    readinessProbe: { ...ask("/readyz"), periodSeconds: 5, timeoutSeconds: 5 },
  };
}
