// The library: every component and its arguments, as `import { Cluster, Network, … } from "fleetwright"` gives them.
export * from "./addons";
export * from "./agent";
export * from "./cluster";
export * from "./hub";
export type { Problem } from "./problem";
export type { Transform } from "./transform";
