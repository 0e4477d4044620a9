export { handOver, orderAgent } from "./hand-over";
export { describeHosts, HostFixture } from "./host-fixture";
export { publicKey } from "./keys";
export { makeUser, ProcessUnits, startAgent, installerDirectoryOf, type RunningAgent } from "./running-agent";
export {
  AGENT_ACCOUNT,
  agentToken,
  bindAgent,
  clientWith,
  createAgentAccount,
  installAgentRights,
  writeCredentials,
} from "./identity";
