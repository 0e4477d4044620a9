import { servePack } from "../sdk/pack";
import { policies } from "./policies";

servePack("fleetwright-aws", "Machines, volumes, networks, load balancers, IAM, KMS and EKS.", policies);
