import { servePack } from "../sdk/pack";
import { surroundings } from "../sdk/surroundings";
import { policies } from "./policies";

servePack("fleetwright-kubernetes", "Pods, images, RBAC and namespaces.", policies, surroundings);
