// Where the tunnel of a stack leads, by the outputs of the stack.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { errorMessage, Failure } from "../lib/failure";
import { isObject, numberAt, parseJson, textAt } from "../lib/json";
import type { TunnelSettings } from "./settings";

/** The outputs of a stack, with what is secret in them; of the current one where none is named. */
export async function outputsOf(stack: string | undefined): Promise<unknown> {
  const args = ["stack", "output", "--json", "--show-secrets"];
  try {
    const chosen = stack === undefined ? [] : ["--stack", stack];
    const { stdout } = await promisify(execFile)("pulumi", [...args, ...chosen], { maxBuffer: 64 << 20 });
    return parseJson(stdout);
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
