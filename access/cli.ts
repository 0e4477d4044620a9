// The command `npm run access`: gives people kubeconfigs, lists what was given, and takes it back.
import { parseArgs } from "node:util";
import { ApiError, ConnectionError } from "../controllers/runtime";
import { runCommand } from "../lib/command";
import { ExitCode, Failure } from "../lib/failure";
import { writePrivate } from "../lib/files";
import { LOOPBACK } from "../lib/port";
import { connect, type Connection, type Endpoint } from "./connection";
import { parseDuration } from "./duration";
import { Grants } from "./grants";
import { kubeconfigOf } from "./kubeconfig";
import { describeGrants } from "./table";

const HELP = `Gives a person access to a cluster: a kubeconfig of their own with the rights of their User and its teams.

Usage: npm run -s access -- jane --output jane.kubeconfig
       npm run -s access -- --revoke jane
       npm run -s access -- --list [jane]

  --output FILE       writes the kubeconfig to a file that only you can read (standard output)
  --direct            leaves the tunnel out of the kubeconfig: for people inside the network, or behind a VPN into it
  --for TIME          when the access ends: hours or days, up to 365d (30d)
  --revoke            ends all access of the person; the tokens are refused within seconds
  --list              lists who was given access, since when and until when
  --json              --list, --revoke: prints JSON

  --kubeconfig FILE   the administrator's kubeconfig (KUBECONFIG, or ~/.kube/config)
  --context NAME      its context (the current one)
  --stack NAME        or the cluster that a stack built, by \`pulumi stack output\`; behind a bastion, through a tunnel to it`;

const OPTIONS = {
  output: { type: "string" },
  direct: { type: "boolean", default: false },
  for: { type: "string", default: "30d" },
  revoke: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  kubeconfig: { type: "string" },
  context: { type: "string" },
  stack: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
  const [user, ...rest] = positionals;
  if (values.help || (user === undefined && !values.list)) {
    process.stdout.write(`${HELP}\n`);
    if (!values.help) process.exitCode = ExitCode.usage;
    return;
  }
  if (rest.length > 0) throw new Failure(`Found ${rest.join(" ")}: name one User at a time.`, ExitCode.usage);
  if (values.list && values.revoke)
    throw new Failure("--list and --revoke are two things: give one of them.", ExitCode.usage);
  const seconds = parseDuration(values.for);
  const connection = await connect(values);
  const grants = new Grants(connection.client, signal);
  try {
    if (values.list) process.stdout.write(describeGrants(await grants.list(user), values.json));
    else if (user === undefined) return;
    else if (values.revoke) await revoke(user, grants, values.json);
    else await give(user, seconds, values, grants, connection);
  } catch (error) {
    throw explained(error, connection);
  } finally {
    await connection.close();
  }
}

async function give(
  user: string,
  seconds: number,
  { output, direct }: { output?: string | undefined; direct: boolean },
  grants: Grants,
  connection: Connection,
): Promise<void> {
  const endpoint = direct ? { ...connection.endpoint, proxyUrl: undefined } : connection.endpoint;
  const made = await grants.make(user, seconds);
  const text = kubeconfigOf(made, endpoint);
  if (output === undefined) process.stdout.write(text);
  else await writePrivate(output, text);
  const where = output === undefined ? "" : ` by ${output}`;
  const asked = Date.now() + seconds * 1000;
  const shorter = asked - Date.parse(made.grant.expires) > 60_000;
  process.stderr.write(
    `${user} has access to ${endpoint.name}${where} until ${made.grant.expires}${shorter ? ", which is the longest that this API server allows" : ""}. Hand it over in private; \`npm run access -- --revoke ${user}\` ends it.\n`,
  );
  if (endpoint.proxyUrl !== undefined && isHere(endpoint.proxyUrl))
    process.stderr.write(throughTunnel(user, endpoint.proxyUrl));
}

/** Behind a bastion the kubeconfig names a port of whoever's machine it is on. */
function throughTunnel(user: string, proxyUrl: string): string {
  return `It goes through a tunnel at ${proxyUrl}, which has to be open on the machine of ${user}: by \`npm run tunnel -- --stack …\`, for who may read the secrets of the stack. For who comes by a VPN or works inside the network, give it with --direct.\n`;
}

function isHere(proxyUrl: string): boolean {
  return [LOOPBACK, "localhost", "[::1]"].includes(new URL(proxyUrl).hostname);
}

async function revoke(user: string, grants: Grants, json: boolean): Promise<void> {
  const ended = await grants.revoke(user);
  const hasLostRights = await grants.hasLostRights(user);
  if (json) process.stdout.write(`${JSON.stringify({ user, ended, hasLostRights }, undefined, 2)}\n`);
  const count = `${ended.length} ${ended.length === 1 ? "grant" : "grants"} of ${user} ended`;
  process.stderr.write(
    hasLostRights
      ? `${count}; no token of theirs has any right. Who comes by an identity provider still may: delete the User to end that too.\n`
      : `${count}; a token that was just used may be good for ten more seconds, because no coordinator answers.\n`,
  );
}

/** A refusal, or no answer, in words that say what to do. */
function explained(error: unknown, { endpoint }: Connection): unknown {
  if (error instanceof ConnectionError)
    return new Failure(
      `${endpoint.server} cannot be reached: ${error.message.replace(/^.* failed: /, "")}. ${whatToDo(endpoint)}`,
      ExitCode.failed,
      { cause: error },
    );
  if (!(error instanceof ApiError) || (error.code !== 401 && error.code !== 403)) return error;
  return new Failure(
    `${endpoint.server} refused: ${error.message} Only an administrator of the cluster gives access: use another --kubeconfig or --context.`,
    ExitCode.failed,
    { cause: error },
  );
}

function whatToDo({ proxyUrl }: Endpoint): string {
  return proxyUrl !== undefined && isHere(proxyUrl)
    ? `The kubeconfig goes through a tunnel at ${proxyUrl}: name the cluster by --stack, which opens it, or open it by \`npm run tunnel\`.`
    : "Run the command where kubectl reaches the cluster; for the cluster dev of a sandbox that is in its network: in-sandbox npm run -s access -- …";
}

runCommand(main);
