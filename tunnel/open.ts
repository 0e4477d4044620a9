import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { errorCode, Failure } from "../lib/failure";
import { isObject, parseJson, textAt } from "../lib/json";
import { LOOPBACK } from "../lib/port";
import { fingerprintOf, JSON_TYPE, type TunnelSettings } from "./settings";
import type { TunnelStatus } from "./tunnel";

/**
 * Makes sure that there is a tunnel for as long as an engine runs: starts one, or joins the one that another run has open.
 * The process goes on when the program ends, because the engine still deletes things then.
 */
export async function openTunnel(settings: TunnelSettings, engine: string, root: string): Promise<void> {
  // Between a look and a start somebody else may start one, and between a look and a request one may end.
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const found = await ask(settings.localPort, { engine }, fingerprintOf(settings));
    if (found === "ours") return;
    if (found instanceof Failure) throw found;
    const said = await start(settings, engine, root);
    if (said === "ready") return;
    if (said !== "taken")
      throw new Failure(
        `The tunnel to ${settings.bastion.host} did not start: ${said}. Its log is ${logOf(root, settings)}.`,
      );
  }
  throw new Failure(
    `The tunnel at ${LOOPBACK}:${settings.localPort} comes and goes: look for who else uses the port.`,
  );
}

/** What the tunnel at a port says of itself; undefined where none is. */
export async function statusOf(port: number): Promise<TunnelStatus | undefined> {
  const answer = await fetch(`http://${LOOPBACK}:${port}/`, { signal: AbortSignal.timeout(5000) }).catch(
    () => undefined,
  );
  const status = answer === undefined ? undefined : parseJson(await answer.text());
  return isObject(status) && typeof status.fingerprint === "string"
    ? (status as unknown as TunnelStatus)
    : undefined;
}

async function ask(port: number, body: object, fingerprint: string): Promise<"ours" | "nobody" | Failure> {
  let answer: Response;
  try {
    answer = await fetch(`http://${LOOPBACK}:${port}/`, {
      method: "POST",
      headers: { "content-type": JSON_TYPE },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    });
  } catch (error) {
    const code = errorCode(isObject(error) ? error.cause : undefined);
    return code === "ECONNREFUSED" || code === "ECONNRESET" ? "nobody" : taken(port, "another program");
  }
  const status = parseJson(await answer.text());
  if (textAt(status, "fingerprint") === fingerprint) return "ours";
  const identity = textAt(status, "identity");
  return taken(
    port,
    identity === undefined ? "another program" : `a tunnel for ${identity}, to another bastion`,
  );
}

/** What is said where somebody else has the port of a tunnel. */
export function taken(port: number, whom: string): Failure {
  return new Failure(
    `The API of the cluster is to be reached at ${LOOPBACK}:${port}, and ${whom} has that port. End it, or set network.bastion.localPort to a free one.`,
  );
}

/** The file that a tunnel writes into what goes wrong, since nobody listens to it once it is open. */
export function logOf(root: string, { localPort }: TunnelSettings): string {
  return path.join(root, "node_modules", ".cache", "fleetwright", `tunnel.${localPort}.log`);
}

async function start(settings: TunnelSettings, engine: string, root: string): Promise<string> {
  const file = logOf(root, settings);
  mkdirSync(path.dirname(file), { recursive: true });
  const log = openSync(file, "a", 0o600);
  const child = spawn(process.execPath, [path.join(root, "run.js"), "tunnel"], {
    // With a group of its own it does not get the Ctrl-C that the engine ends in order on.
    detached: true,
    stdio: ["pipe", "pipe", log],
    env: { PATH: process.env.PATH ?? "" },
  });
  closeSync(log);
  const { stdin, stdout } = child;
  // They are pipes.
  if (stdin === null || stdout === null) throw new Error("the tunnel was started without pipes");
  const ended = once(child, "exit");
  stdin.on("error", () => {});
  stdin.end(JSON.stringify({ ...settings, engine }));
  const said = await Promise.race([
    once(stdout, "data").then(([chunk]) => String(chunk).trim()),
    ended.then(([code]) => `it ended with exit code ${String(code)}`),
  ]);
  stdout.destroy();
  child.unref();
  return said;
}
