import * as pulumi from "@pulumi/pulumi";
import { errorMessage } from "../lib/failure";
import { textAt } from "../lib/json";
import { aheadMessage } from "./ahead";
import { readVersions } from "./cluster-versions";

/**
 * In a preview, warns if the cluster of this stack is ahead of the version that its file declares. Gives whether it warned. It asks with the
 * kubeconfig that the last update left: of this run nothing is known yet where a version changes, which is when it matters.
 */
export async function sayWhetherAhead(file: string): Promise<boolean> {
  if (!pulumi.runtime.isDryRun()) return false;
  try {
    const kubeconfig = await lastKubeconfig();
    if (kubeconfig === undefined) return false;
    const message = aheadMessage(file, await readVersions(kubeconfig));
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

/** From the outputs of the last update; undefined before the first. */
async function lastKubeconfig(): Promise<string | undefined> {
  const name = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  // As a StackReference would, but without a resource in the stack.
  const found: unknown = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", { name });
  return textAt(found, "outputs", "kubeconfig");
}
