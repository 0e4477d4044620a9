/** The image whose container holds the namespaces of a pod. */
export const PAUSE_IMAGE = "fleetwright.dev/pause:1";
