import { servePack } from "../sdk/pack";
import { surroundings } from "../sdk/surroundings";
import { policies } from "./policies";

servePack(
  "fleetwright-aws",
  "Machines, volumes, networks, load balancers, IAM, KMS and EKS.",
  policies,
  surroundings,
);
