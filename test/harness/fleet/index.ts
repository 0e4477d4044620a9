export { startSyncer, type RunningSyncer, type StartSyncer } from "./running-syncer";
export { FleetServer, writesSeen } from "./server";
export { CRDS, installHubKinds, ShareProbe, specOf } from "./shares";
export { clusterSays, pushCluster, startHub, type RunningHub } from "./running-hub";
