import { createServer, type AddressInfo, type Server } from "node:net";
import { BastionConnection } from "./bastion-connection";
import { TestBastion } from "./testing/bastion";

let bastion: TestBastion;
let connection: BastionConnection;
let target: Server;
const endpoint = { host: "127.0.0.1", port: 0 };

beforeEach(async () => {
  bastion = new TestBastion();
  const port = await bastion.listen();
  connection = new BastionConnection({
    host: "127.0.0.1",
    port,
    user: "fw-tunnel",
    hostKey: bastion.host.publicKey,
    privateKey: bastion.login.privateKey,
  });
  target = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  endpoint.port = (target.address() as AddressInfo).port;
});

afterEach(async () => {
  connection.close();
  await bastion.close();
  await new Promise((resolve) => target.close(resolve));
});

test("the end of a connection that failed does not take the next one along", async () => {
  bastion.isLocked = true;
  await expect(connection.forward(endpoint)).rejects.toThrow(
    /^SSH to fw-tunnel@127\.0\.0\.1:\d+: .*authentication/,
  );
  bastion.isLocked = false;
  // While it is made, the failed one is closed.
  (await connection.forward(endpoint)).destroy();
  (await connection.forward(endpoint)).destroy();
  expect(bastion.logins).toBe(1);
});
