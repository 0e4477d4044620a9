/** The image of the name server of clusters on the sandbox's machines. */
export const COREDNS_IMAGE = "fleetwright.dev/coredns:1.14.1";
