import { policies } from "./policies";
import { servePack } from "./sdk/pack";
import { listenForSurroundings } from "./sdk/told-surroundings";

const around = listenForSurroundings();
servePack("fleetwright", "All of Fleetwright's policies, in one process.", policies, around);
