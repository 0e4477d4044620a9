import { policies } from "./policies";
import { servePack } from "./sdk/pack";

servePack("fleetwright", "All of Fleetwright's policies, in one process.", policies);
