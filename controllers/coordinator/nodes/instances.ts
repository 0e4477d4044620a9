// Asks EC2 what became of the machines of nodes.
import { AwsError, roleCredentials, send, serviceUrl, signedHeaders, type AwsEnvironment } from "../aws";

/** Ids that are asked about in one request; AWS takes 200 values of a filter. */
export const IDS_PER_REQUEST = 100;

/**
 * The states of the instances of these ids that EC2 knows, by id. Asked by a filter: with a list of ids a single one that is
 * not known any more would fail the whole request.
 */
export async function instanceStates(
  environment: AwsEnvironment,
  region: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const query: Record<string, string> = { "Filter.1.Name": "instance-id" };
  for (const [index, id] of ids.entries()) query[`Filter.1.Value.${index + 1}`] = id;
  return statesIn(await describeInstances(environment, region, query, signal));
}

/** The state of one instance, asked by its id; "unknown" only if EC2 says in so many words that there is none. */
export async function instanceState(
  environment: AwsEnvironment,
  region: string,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await describeInstances(environment, region, { "InstanceId.1": id }, signal);
    return statesIn(answer).get(id);
  } catch (error) {
    if (error instanceof AwsError && error.code === "InvalidInstanceID.NotFound") return "unknown";
    throw error;
  }
}

async function describeInstances(
  environment: AwsEnvironment,
  region: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const keys = await roleCredentials(environment, region, signal);
  const url = serviceUrl(environment.env, "ec2", region);
  const body = new URLSearchParams({
    Action: "DescribeInstances",
    Version: "2016-11-15",
    ...query,
  }).toString();
  const plain = { "content-type": "application/x-www-form-urlencoded" };
  const now = environment.now();
  const headers = signedHeaders({ url, headers: plain, body }, { keys, region, service: "ec2", now });
  return send(`EC2 in ${region}`, url, { method: "POST", headers, body, signal });
}

/** The states in an answer of DescribeInstances. Throws if it is something else: nothing must be taken for "no instances". */
export function statesIn(text: string): ReadonlyMap<string, string> {
  if (!/<DescribeInstancesResponse[\s>]/.test(text) || !text.includes("<reservationSet"))
    throw new AwsError("Refused", "EC2 returned what is no list of instances.");
  const found = text.matchAll(
    /<instanceId>(i-[0-9a-f]+)<\/instanceId>[\s\S]*?<instanceState>[\s\S]*?<name>([a-z-]+)<\/name>/g,
  );
  return new Map(Array.from(found, ([, id = "", state = ""]) => [id, state]));
}
