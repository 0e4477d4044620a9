import * as pulumi from "@pulumi/pulumi";
import { errorMessage } from "../lib/failure";
import { at, isObject, textAt } from "../lib/json";
import { tunnelOf } from "../tunnel/outputs";
import type { BastionLogin } from "../tunnel/settings";
import { aheadMessage } from "./ahead";
import { versionsOf } from "./cluster-versions";

/**
 * In a preview, warns if the cluster of this stack is ahead of the version in the stack's file, and returns whether it did.
 *
 * It asks with the kubeconfig that the last update left. The one of this run is not known where the version changes, which is
 * when the warning matters.
 */
export async function sayWhetherAhead(file: string): Promise<boolean> {
  if (!pulumi.runtime.isDryRun()) return false;
  try {
    const outputs = await lastOutputs();
    const kubeconfig = textAt(outputs, "kubeconfig");
    if (kubeconfig === undefined) return false;
    const message = aheadMessage(file, await versionsOf(kubeconfig, bastionOf(outputs)));
    if (message === undefined) return false;
    await pulumi.log.warn(message);
    return true;
  } catch (error) {
    await pulumi.log.info(
      `Whether the cluster is ahead of cluster.version (${file}) is not known, because it could not be asked: ${errorMessage(error)}`,
    );
    return false;
  }
}

/** The outputs of the last update; undefined before the first. */
async function lastOutputs(): Promise<unknown> {
  const name = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  // As a StackReference would, but without a resource in the stack.
  const found: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", { name });
  return at(found, "outputs");
}

function bastionOf(outputs: unknown): BastionLogin | undefined {
  return isObject(at(outputs, "bastion")) ? tunnelOf(outputs).bastion : undefined;
}
