import { servePack } from "../sdk/pack";
import { policies } from "./policies";

servePack("fleetwright-kubernetes", "Pods, images, RBAC and namespaces.", policies);
