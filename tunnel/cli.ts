/** `npm run tunnel`: opens the way to the API of a cluster behind a bastion, for kubectl and for refreshes. */
import { execFile } from "node:child_process";
import { parseArgs, promisify } from "node:util";
import { runCommand } from "../lib/command";
import { errorCode, errorMessage, ExitCode, Failure } from "../lib/failure";
import { isObject, numberAt, parseJson, textAt } from "../lib/json";
import { LOOPBACK } from "../lib/port";
import { Engines } from "./engines";
import { reachProblem } from "./reach";
import type { TunnelSettings } from "./settings";
import { Tunnel } from "./tunnel";

const HELP = `Opens the way to the API of a cluster behind a bastion, until Ctrl-C.

Usage: npm run -s tunnel -- [--stack NAME]

  --stack NAME   the stack that built the cluster, whose outputs say where it is (the current one)

The kubeconfig of the stack works while the tunnel is open:
  pulumi stack output --show-secrets kubeconfig >cluster.kubeconfig
  kubectl --kubeconfig cluster.kubeconfig get nodes
`;

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const options = {
    stack: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  } as const;
  const { values } = parseArgs({ args: argv, options });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const settings = tunnelOf(parseJson(await outputsOf(values.stack)));
  const engines = new Engines();
  engines.hold();
  const tunnel = new Tunnel(settings, engines);
  await tunnel.listen().catch((error: unknown) => {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    throw new Failure(
      `${LOOPBACK}:${settings.localPort} is taken. If an update of this stack runs here, its tunnel is open and serves you too.`,
    );
  });
  try {
    const problem = await reachProblem(settings);
    if (problem !== undefined) throw new Failure(problem, ExitCode.network);
    const { target, localPort, bastion } = settings;
    process.stdout.write(
      `${target.host}:${target.port} is reached at socks5://${LOOPBACK}:${localPort}, through ${bastion.host}. Ctrl-C ends it.\n`,
    );
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  } finally {
    await tunnel.close();
  }
}

async function outputsOf(stack: string | undefined): Promise<string> {
  const args = ["stack", "output", "--json", "--show-secrets"];
  try {
    const chosen = stack === undefined ? [] : ["--stack", stack];
    return (await promisify(execFile)("pulumi", [...args, ...chosen], { maxBuffer: 64 << 20 })).stdout;
  } catch (error) {
    throw new Failure(`pulumi ${args.join(" ")} failed: ${errorMessage(error)}`);
  }
}

/** What a stack's outputs say of its tunnel. */
export function tunnelOf(outputs: unknown): TunnelSettings {
  const text = (...path: string[]): string => {
    const value = textAt(outputs, ...path);
    if (value !== undefined) return value;
    const has = isObject(outputs) ? Object.keys(outputs).join(", ") || "none" : "none";
    throw new Failure(
      `The stack has no output ${path.join(".")} (its outputs: ${has}): there is a tunnel for clusters behind network.bastion, once they are built.`,
    );
  };
  const endpoint = new URL(text("bastion", "endpoint"));
  return {
    identity: text("bastion", "identity"),
    localPort: numberAt(outputs, "bastion", "localPort") ?? 0,
    bastion: {
      host: text("bastion", "address"),
      port: 22,
      user: text("bastion", "user"),
      hostKey: text("bastion", "hostKey"),
      privateKey: text("sshPrivateKey"),
    },
    target: { host: endpoint.hostname, port: Number(endpoint.port) },
  };
}

if (require.main === module) runCommand(main);
