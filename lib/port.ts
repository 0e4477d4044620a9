import { createServer } from "node:net";
import { Failure } from "./failure";

/** The address that local servers listen on, and no other. */
export const LOOPBACK = "127.0.0.1";

/** A port of the loopback address that was free just now. */
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
