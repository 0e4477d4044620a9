export { LOOPBACK } from "../../lib/port";

/** Addresses of services. */
export const SERVICE_RANGE = "10.96.0.0/12";

/** The address of the service `kubernetes`, the first one of the range. */
export const SERVICE_ADDRESS = "10.96.0.1";

/** Addresses of pods: room for 32,768 nodes with 254 pods each, apart from the services. */
export const POD_RANGE = "10.128.0.0/9";

/** The domain that services are named in. */
export const CLUSTER_DOMAIN = "cluster.local";
