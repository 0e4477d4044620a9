import { servePack } from "../sdk/pack";
import { policies } from "./policies";

servePack("fleetwright-fleet", "The rules of Fleetwright across a stack.", policies);
