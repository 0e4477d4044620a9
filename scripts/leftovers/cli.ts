/** `npm run leftovers`: shows what Services and claims of a cluster left in AWS. */
import { parseArgs } from "node:util";
import { EC2Client } from "@aws-sdk/client-ec2";
import { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import { runCommand } from "../../lib/command";
import { ExitCode, Failure } from "../../lib/failure";
import { type Leftover, leftoversOf } from "./find";

const HELP = `npm run leftovers -- <cluster> --region <region>
  Shows load balancers, security groups and volumes that Kubernetes made in AWS for a cluster and that no stack knows of,
  with the commands that remove them. It changes nothing. Credentials are those of the AWS CLI.
  Run it before \`pulumi destroy\`, to know what to delete in the cluster, and afterwards, to see what is left.
`;

async function main(argv: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { region: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  const [cluster, ...more] = positionals;
  const region = values.region ?? process.env.AWS_REGION;
  if (cluster === undefined || more.length > 0 || region === undefined)
    throw new Failure(`Name one cluster and its region.\n\n${HELP}`, ExitCode.usage);
  const found = await leftoversOf(cluster, {
    ec2: new EC2Client({ region }),
    elb: new ElasticLoadBalancingV2Client({ region }),
  });
  process.stdout.write(`${shown(cluster, found)}\n`);
}

function shown(cluster: string, found: readonly Leftover[]): string {
  if (found.length === 0) return `Nothing in AWS has the tag of the cluster ${cluster}.`;
  return [
    ...found.map(({ kind, id, madeFor }) => `${kind} ${id}, made for ${madeFor}`),
    "",
    "While the cluster answers, delete the Service or the claim in it. Otherwise:",
    ...found.map(({ removal }) => `  ${removal}`),
  ].join("\n");
}

runCommand(main);
