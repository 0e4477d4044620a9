import { policies } from "./policies";
import { readOnlyWhatIsJudged } from "./sdk/light-requests";
import { servePack } from "./sdk/pack";
import { listenForSurroundings } from "./sdk/told-surroundings";

const around = listenForSurroundings();
const repairing = policies.filter((policy) => policy.judges === "resource" && policy.remediate !== undefined);
readOnlyWhatIsJudged(
  new Set(policies.flatMap(({ types, looksAt = [] }) => [...types, ...looksAt])),
  new Set(repairing.flatMap(({ types }) => types)),
);
servePack("fleetwright", "All of Fleetwright's policies, in one process.", policies, around);
