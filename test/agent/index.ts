export { handOver, orderAgent } from "./hand-over";
export { describeHosts, TrialHost } from "./trial-host";
export { publicKey } from "./keys";
export { makeUser, ProcessUnits, startAgent, workshopOf, type RunningAgent } from "./world";
