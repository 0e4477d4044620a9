import { policies } from "./policies";
import { servePack } from "./sdk/pack";
import { surroundings } from "./sdk/surroundings";

servePack("fleetwright", "All of Fleetwright's policies, in one process.", policies, surroundings);
