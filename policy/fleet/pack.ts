import { servePack } from "../sdk/pack";
import { surroundings } from "../sdk/surroundings";
import { policies } from "./policies";

servePack("fleetwright-fleet", "The rules of Fleetwright across a stack.", policies, surroundings);
