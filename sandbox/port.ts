import { createServer } from "node:net";
import { LOOPBACK } from "./controlplane/network";
import { Failure } from "./failure";

/** A port of the loopback address that nobody listened on a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: LOOPBACK, port: 0, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Failure(`No free port on ${LOOPBACK}.`));
      });
    });
  });
}
