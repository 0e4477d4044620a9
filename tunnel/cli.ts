/** `npm run tunnel`: opens the way to the API of a cluster behind a bastion, for kubectl and for refreshes. */
import { parseArgs } from "node:util";
import { runCommand } from "../lib/command";
import { errorCode, ExitCode, Failure } from "../lib/failure";
import { LOOPBACK } from "../lib/port";
import { Engines } from "./engines";
import { outputsOf, tunnelOf } from "./outputs";
import { reachProblem } from "./reach";
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
  const settings = tunnelOf(await outputsOf(values.stack));
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

runCommand(main);
