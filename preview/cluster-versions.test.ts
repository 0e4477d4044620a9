// A preview asks clusters that only their bastion reaches.
import { readFileSync } from "node:fs";
import { freePort } from "../lib/port";
import { sharedKubeconfig } from "../test/harness/controlplane";
import type { BastionLogin } from "../tunnel/settings";
import { TestBastion } from "../tunnel/testing/bastion";
import { readVersions, versionsOf } from "./cluster-versions";

let bastion: TestBastion;
let port: number;
/** Names an address at which nobody listens: only through the bastion one comes to the API server. */
let kubeconfig: string;

beforeAll(async () => {
  const real = readFileSync(sharedKubeconfig(), "utf8");
  const [, host = "", apiPort = ""] = /server: "?https:\/\/([^:]+):(\d+)/.exec(real) ?? [];
  kubeconfig = real.replaceAll(`https://${host}:${apiPort}`, `https://${host}:${await freePort()}`);
  bastion = new TestBastion({ host, port: Number(apiPort) });
  port = await bastion.listen();
});
afterAll(() => bastion.close());

const login = (): BastionLogin => ({
  host: "127.0.0.1",
  port,
  user: "fw-tunnel",
  hostKey: bastion.host.publicKey,
  privateKey: bastion.login.privateKey,
});

test("a cluster behind a bastion is asked through it", async () => {
  await expect(readVersions(kubeconfig)).rejects.toThrow(/ECONNREFUSED/);
  expect(await versionsOf(kubeconfig, login())).toMatchObject({ servers: [] });
  expect(bastion.logins).toBe(1);
});

test("a bastion that does not answer is named, with why", async () => {
  const gone = await freePort();
  await expect(versionsOf(kubeconfig, { ...login(), port: gone })).rejects.toThrow(
    `SSH to fw-tunnel@127.0.0.1:${gone}: connect ECONNREFUSED`,
  );
});
