// A tunnel for as long as a command runs.
import { errorCode, ExitCode, Failure } from "../lib/failure";
import { Engines } from "./engines";
import { statusOf, taken } from "./open";
import { reachProblem } from "./reach";
import { fingerprintOf, type TunnelSettings } from "./settings";
import { Tunnel } from "./tunnel";

/** What a command holds while it asks the cluster. */
export interface BorrowedTunnel {
  close(): Promise<void>;
}

/**
 * Opens a tunnel of the command's own, or uses the one that an update or `npm run tunnel` has open. Fails with what was tried and
 * what to set where the API is not reached through it.
 */
export async function borrowTunnel(settings: TunnelSettings): Promise<BorrowedTunnel> {
  const tunnel = await openOrJoin(settings);
  const problem = await reachProblem(settings);
  if (problem === undefined) return tunnel;
  await tunnel.close();
  throw new Failure(problem, ExitCode.network);
}

async function openOrJoin(settings: TunnelSettings): Promise<BorrowedTunnel> {
  const tunnel = new Tunnel(settings, new Engines());
  try {
    await tunnel.listen();
    return tunnel;
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    const status = await statusOf(settings.localPort);
    if (status?.fingerprint !== fingerprintOf(settings))
      throw taken(
        settings.localPort,
        status === undefined ? "another program" : `a tunnel for ${status.identity}, to another bastion`,
      );
    return { close: () => Promise.resolve() };
  }
}
