import { connect } from "node:net";
import type { AuthenticationType, ConnectConfig } from "ssh2";
import { errorCode } from "../../../lib/failure";
import type { Endpoint } from "./connection";
import { dialWords } from "./go-words";
import { type ExpectedHostKey, parseHostKey } from "./host-key";
import { usableKey } from "./private-key";

/** With what to log in to an endpoint. */
export interface Login {
  readonly config: ConnectConfig;
  readonly expected: ExpectedHostKey | undefined;
  /** What one log-in tries, and has tried. */
  readonly attempted: () => { readonly settings: ConnectConfig; readonly names: () => readonly string[] };
}

/** The settings of a log-in; mistakes in them fail at once, since dialling would not help. */
export async function login(target: Endpoint): Promise<Login> {
  const expected = target.hostKey === undefined ? undefined : parseHostKey(target.hostKey);
  const { privateKey, password, agentSocketPath } = target;
  const identity =
    privateKey === undefined ? undefined : await usableKey(privateKey, target.privateKeyPassword);
  // An agent that is named has to be there, also where a key would do.
  if (agentSocketPath !== undefined) await dialAgent(agentSocketPath);
  const methods: readonly AuthenticationType[] = [
    ...(identity === undefined ? [] : (["publickey"] as const)),
    ...(password === undefined ? [] : (["password", "keyboard-interactive"] as const)),
    ...(agentSocketPath === undefined ? [] : (["agent"] as const)),
  ];
  return {
    expected,
    config: {
      host: target.host,
      port: target.port,
      username: target.user,
      tryKeyboard: password !== undefined,
      ...(password !== undefined && { password }),
      ...(agentSocketPath !== undefined && { agent: agentSocketPath }),
      ...identity,
    },
    attempted: () => {
      const names: string[] = [];
      return { settings: { authHandler: inOrder(methods, names) }, names: () => names };
    },
  };
}

/**
 * Tries none, and then each method that the server takes, in the order of Go's SSH library: by its name, so that an agent is not asked
 * where a key was refused.
 */
export function inOrder(
  methods: readonly AuthenticationType[],
  tried: string[],
): (left: readonly string[] | null) => AuthenticationType | false {
  const nameOf = (method: AuthenticationType): string => (method === "agent" ? "publickey" : method);
  return (left) => {
    // There is no list before the first answer.
    const method =
      left === null
        ? "none"
        : methods.find((own) => left.includes(nameOf(own)) && !tried.includes(nameOf(own)));
    if (method === undefined) return false;
    tried.push(nameOf(method));
    return method;
  };
}

function dialAgent(path: string): Promise<void> {
  if (path === "") return Promise.reject(new Error("dial unix: missing address"));
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", (error) =>
      reject(new Error(dialWords("unix", path, errorCode(error)), { cause: error })),
    );
  });
}
