// What AuthorizationRoles may give, and where nobody may do anything, as a component.
import * as pulumi from "@pulumi/pulumi";
import { ceilingObjects, type RaisedCeiling } from "../../api";
import type { Labels } from "../addons/declaration";
import { settingsOf } from "../schema";
import { declareObject } from "./plain-objects";
import { checkRoleCeiling } from "./role-ceiling-problems";

/** The arguments of `RoleCeiling`. */
export interface RoleCeilingArgs extends RaisedCeiling {
  /** Labels for every object. @default {} */
  labels?: Labels;
}

/**
 * What AuthorizationRoles may give at most, held by the accounts with which the coordinator writes them, so that the API server
 * refuses all else; and the admission policies that close the product's namespaces and `kube-system` to everybody but
 * administrators, the cluster and our programs.
 *
 * @example
 * new RoleCeiling("role-ceiling", { namespaces: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] }] });
 */
export class RoleCeiling extends pulumi.ComponentResource {
  constructor(name: string, args: RoleCeilingArgs = {}, opts: pulumi.ComponentResourceOptions = {}) {
    const { labels, ...raised } = args;
    settingsOf("role ceiling", checkRoleCeiling(raised), opts.parent);
    super("fleetwright:index:RoleCeiling", name, args, opts);
    for (const object of ceilingObjects(raised)) declareObject(name, object, labels, { parent: this });
    this.registerOutputs({});
  }
}
