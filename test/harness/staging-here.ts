import { AWS_PORT, REGISTRY_PORT, RELEASES_PORT } from "../../sandbox/cloud/ports";
import { SERVICES_ADDRESS } from "../../sandbox/machines";
import { OUTSIDE_ADDRESS } from "../../sandbox/machines/routing";
import { DEFAULT_RELEASE } from "../../sandbox/machines/rke2";

const services = (port: number): string => `http://${SERVICES_ADDRESS}:${port}`;

/**
 * All that staging has otherwise in the sandbox: the one release that it runs, from where it has it; the kernel's settings, which
 * are the host's; its registry and its AWS. And from where one comes, which nobody else can know.
 */
export function stagingHere(cluster: Record<string, unknown>): void {
  cluster.version = DEFAULT_RELEASE;
  cluster.network = { ...Object(cluster.network), bastion: { from: [`${OUTSIDE_ADDRESS}/32`] } };
  cluster.selfManaged = {
    ...Object(cluster.selfManaged),
    hardening: { cis: false },
    release: { url: services(RELEASES_PORT) },
    awsEndpoints: { ssm: services(AWS_PORT), autoScaling: services(AWS_PORT) },
    registries: {
      mirrors: [{ registry: "fleetwright.dev", endpoints: [services(REGISTRY_PORT)] }],
    },
  };
}
