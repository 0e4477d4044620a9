import { clusterNamespace, MAX_CLUSTER_NAME } from "../api/hub";
import { ExitCode, Failure } from "../lib/failure";

/** The one cluster that a command is about. */
export function clusterIn(positionals: readonly string[]): { name: string; namespace: string } {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0)
    throw new Failure(`Found ${positionals.join(" ") || "no name"}: name one cluster.`, ExitCode.usage);
  if (!/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > MAX_CLUSTER_NAME)
    throw new Failure(
      `The name is ${JSON.stringify(name)}: use at most ${MAX_CLUSTER_NAME} of a-z, 0-9 and "-", beginning and ending with a letter or digit.`,
      ExitCode.usage,
    );
  return { name, namespace: clusterNamespace(name) };
}
