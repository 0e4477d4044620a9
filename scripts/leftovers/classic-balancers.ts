// Classic load balancers: what a plain Service of type LoadBalancer makes. They have an API of their own behind the same address, of an
// earlier version, and AWS's client for the present one does not show them.
import type { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import { sign } from "aws4";
import { Failure } from "../../lib/failure";

/** A load balancer of the first kind. */
export interface ClassicBalancer {
  readonly name: string;
  readonly tags: readonly { readonly Key: string; readonly Value: string }[];
}

const VERSION = "2012-06-01";
/** Balancers of one request of DescribeTags. */
const MAX_NAMES = 20;

/** All of the region, with their tags; asked with the address, region and credentials of the client. */
export async function classicBalancers(client: ElasticLoadBalancingV2Client): Promise<ClassicBalancer[]> {
  const names: string[] = [];
  let marker: string | undefined;
  do {
    const page = await askClassic(client, {
      Action: "DescribeLoadBalancers",
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    names.push(...textsOf(page, "LoadBalancerName"));
    marker = textsOf(page, "NextMarker")[0];
  } while (marker !== undefined && marker !== "");
  const found: ClassicBalancer[] = [];
  for (let from = 0; from < names.length; from += MAX_NAMES) {
    const part = names.slice(from, from + MAX_NAMES);
    const asked: Record<string, string> = { Action: "DescribeTags" };
    for (const [index, name] of part.entries()) asked[`LoadBalancerNames.member.${index + 1}`] = name;
    const answer = await askClassic(client, asked);
    found.push(...taggedIn(answer));
  }
  return found;
}

/** The balancers of an answer to DescribeTags: each has its name, before or behind its tags. */
export function taggedIn(answer: string): ClassicBalancer[] {
  const descriptions = /<TagDescriptions>(.*)<\/TagDescriptions>/s.exec(answer)?.[1] ?? "";
  // A member with a name in it; members within it are its tags.
  const members = descriptions.split(/(?<=<\/member>)\s*(?=<member>\s*<(?:Tags|LoadBalancerName)\b)/);
  return members.flatMap((member) => {
    const name = textsOf(member, "LoadBalancerName")[0];
    if (name === undefined) return [];
    const keys = textsOf(member, "Key");
    const pairs = member.split("<Key>").slice(1);
    const tags = keys.map((Key, index) => ({ Key, Value: textsOf(pairs[index] ?? "", "Value")[0] ?? "" }));
    return [{ name, tags }];
  });
}

/** Asks the API of classic load balancers; gives what it answers. */
export async function askClassic(
  { config }: ElasticLoadBalancingV2Client,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const region = await config.region();
  const given = config.endpoint === undefined ? undefined : await config.endpoint();
  const Endpoint =
    given === undefined
      ? process.env.AWS_ENDPOINT_URL
      : `${given.protocol}//${given.hostname}${given.port === undefined ? "" : `:${given.port}`}`;
  const { url } = config.endpointProvider({
    Region: region,
    UseFIPS: false,
    UseDualStack: false,
    ...(Endpoint === undefined ? {} : { Endpoint }),
  });
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  const body = new URLSearchParams({ ...parameters, Version: VERSION }).toString();
  const { headers = {} } = sign(
    {
      method: "POST",
      host: url.host,
      path: url.pathname,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
      region,
      service: "elasticloadbalancing",
    },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  // fetch sets the host by itself.
  const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "host");
  const answer = await fetch(url, {
    method: "POST",
    headers: sent.map(([name, value]) => [name, String(value)]),
    body,
  });
  const text = await answer.text();
  if (answer.ok) return text;
  const why = [textsOf(text, "Code")[0], textsOf(text, "Message")[0]].filter((part) => part !== undefined);
  throw new Failure(
    `AWS refused elasticloadbalancing:${parameters.Action ?? ""} with ${answer.status}: ${why.join(": ")}. Classic load balancers were not looked for.`,
  );
}

function textsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? ""),
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
