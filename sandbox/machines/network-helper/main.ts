// The network helper's process: main.ts SOCKET ROLE. It serves what the machine host sends to its control socket.
// With the role "inside" it runs in the sandbox's network namespace, with "outside" in the host's.
import { errorMessage } from "../../../lib/failure";
import { serveControlSocket } from "../control-socket";
import { KeyedMutex } from "../../../lib/keyed-mutex";
import { NetworkHelper } from "./network-helper";
import { networkHelperState } from "./state";

async function main(socket: string, inside: boolean): Promise<void> {
  const helper = new NetworkHelper();
  if (inside) await Promise.all([helper.serveMetadata(), helper.serveNames()]);
  const mutex = new KeyedMutex();
  await serveControlSocket(
    socket,
    async ({ method, path, body }) => {
      if (method === "GET" && path === "/health") return helper.health();
      if (method !== "PUT" || path !== "/state") return undefined;
      await mutex.runExclusive("state", () => helper.apply(networkHelperState.parse(body)));
      return {};
    },
    { "/events": (outgoing) => helper.watch(outgoing) },
  );
}

const [, , socket = "", role = ""] = process.argv;
void main(socket, role === "inside").catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
