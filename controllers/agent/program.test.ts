import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { answerMetadata } from "../../sandbox/machines/network-helper/metadata";
import { machineSpecFixture } from "../../sandbox/machines/testing/machine-spec";
import { certifiedKey, daysFromNow } from "../../sandbox/controlplane/certificate";
import {
  AGENT_ACCOUNT,
  agentToken,
  bindAgent,
  createAgentAccount,
  describeHosts,
  handOver,
  HostFixture,
  installAgentRights,
  makeUser,
  publicKey,
  writeCredentials,
} from "../../test/harness/agent";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { SERVICE_ACCOUNTS } from "../coordinator/native-resources";
import { bundleAgent } from "../../scripts/images/programs";
import { POOL_TAG } from "./facts/metadata";
import { reportOn } from "../../api/upgrade-annotations";
import { NODES, UPGRADES, USERS, type UpgradeObject } from "./kinds";
import { METRICS_AUDIENCE, NODE_OPTIONS } from "../../api/agent-pod-requirements";

/** As the ServiceMonitor expects it (components/agent/agent-monitor.ts). */
const SERVER_NAME = "fleetwright-agent.fleetwright-system.svc";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

describeHosts("the agent's program", () => {
  let fixture: CoordinatorFixture;
  const work = mkdtempSync(path.join(tmpdir(), "fleetwright-agent-"));
  const host = new HostFixture();
  const lines: string[] = [];
  let metadata: http.Server;
  let ca = "";
  let child: ChildProcess | undefined;

  const conditions = async (): Promise<Record<string, string | undefined>> =>
    Object.fromEntries(
      ((await fixture.direct.get(NODES, { name: "n1" })).status?.conditions ?? []).map(({ type, reason }) => [
        type,
        reason,
      ]),
    );
  const readyReason = async (name: string): Promise<string | undefined> =>
    (await fixture.direct.get(USERS, { name })).status?.conditions?.find(({ type }) => type === "Ready")
      ?.reason;

  /** Writes a token of the agent's pod where the agent looks for it. */
  const admit = async (): Promise<void> => writeCredentials(fixture, work, await agentToken(fixture, "n1"));

  beforeAll(async () => {
    [fixture] = await Promise.all([startCoordinatorFixture(), bundleAgent(path.join(work, "agent.js"))]);
    await fixture.direct.create(NODES, { metadata: { name: "n1", labels: { keep: "me" } } });
    await fixture.direct.create(NODES, { metadata: { name: "n2" } });
    await fixture.start({ controllers: "user-status" });
    await installAgentRights(fixture);
    await admit();
    const machine = machineSpecFixture({
      tags: { [POOL_TAG]: "web" },
      metadata: { tokensRequired: true, hopLimit: 1, tagsEnabled: true },
    });
    metadata = http.createServer((request, response) => {
      if (request.method === "PUT") response.end("token-1");
      else if (request.headers["x-aws-ec2-metadata-token"] !== "token-1") response.writeHead(401).end();
      else {
        const answer = answerMetadata(machine, (request.url ?? "").replace(/^\/latest\//, ""));
        if (answer.kind === "text") response.end(answer.text);
        else response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => metadata.listen(0, "127.0.0.1", resolve));
    const soon = await certifiedKey({
      subject: { commonName: "kubelet" },
      usages: ["serverAuth"],
      notAfter: daysFromNow(5),
    });
    mkdirSync(host.at("var/lib/kubelet/pki"), { recursive: true });
    host.put("var/lib/kubelet/pki/kubelet.crt", soon.certificate);
    host.put(
      "etc/fstab",
      "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a /var/lib/rancher ext4 x 0 2\n",
    );
    const { port } = metadata.address() as AddressInfo;
    const command = [
      process.execPath,
      ...NODE_OPTIONS,
      path.join(work, "agent.js"),
      "--node=n1",
      `--host-root=${host.root}`,
      `--proc=${host.at("proc")}`,
      `--credentials=${work}`,
      `--server=${fixture.plane.endpoint}`,
      `--metadata-url=http://127.0.0.1:${port}`,
      "--port=0",
      "--host=127.0.0.1",
      `--tls=${path.join(work, "tls")}`,
    ];
    const serving = await certifiedKey({
      subject: { commonName: "fleetwright-agent" },
      usages: ["serverAuth", "digitalSignature"],
      names: { dns: [SERVER_NAME] },
      notAfter: daysFromNow(5),
    });
    mkdirSync(path.join(work, "tls"));
    writeFileSync(path.join(work, "tls/tls.crt"), serving.certificate);
    writeFileSync(path.join(work, "tls/tls.key"), serving.key);
    ca = serving.certificate;
    // So few open files are allowed that one too many would be noticed.
    const limited = ["-c", 'ulimit -n 64; exec "$@"', "sh", ...command];
    child = spawn("sh", limited, { env: {}, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => lines.push(...chunk.toString().split("\n")));
  });
  afterAll(async () => {
    // Until it is gone it writes into the folders that are removed here.
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    metadata.close();
    await fixture.close();
    await rm(work, { recursive: true });
    await host.remove();
  });

  test("does all of its work with exactly its committed role, and nothing is ever forbidden", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `user-${index}`);
    await Promise.all(names.map((name) => makeUser(fixture, { name, sshKeys: [{ key: publicKey(name) }] })));
    for (const name of names)
      await waitFor(`the account ${name}`, () => host.opens(name).length === 1, 60_000).catch(() => {
        throw new Error(`No account: ${lines.join("\n")}`);
      });
    await waitFor("the status", async () => (await readyReason("user-0")) === "Accepted", 60_000);
    await waitFor("the conditions", async () => {
      const found = await conditions();
      return (
        found.StateVolumeProblem === "VolumeMissing" &&
        found.CertificatesExpiring === "CertificateExpiresSoon"
      );
    });
    await waitFor("the labels", async () => {
      const { labels } = (await fixture.direct.get(NODES, { name: "n1" })).metadata;
      return labels?.["fleetwright.dev/node-pool"] === "web" ? labels : undefined;
    });
    expect((await fixture.direct.get(NODES, { name: "n1" })).metadata.labels).toMatchObject({
      keep: "me",
      "topology.kubernetes.io/region": "eu-central-1",
      "topology.kubernetes.io/zone": "eu-central-1a",
      "node.kubernetes.io/instance-type": "t3.medium",
    });
    const spec = {
      version: "v1.36.0",
      installer: { url: "https://localhost:1/x", digest: `sha256:${"0".repeat(64)}` },
    };
    await fixture.direct.create(UPGRADES, { metadata: { name: "up" }, spec } as unknown as UpgradeObject);
    await handOver(fixture.direct, "up", "n1");
    await waitFor("the report", async () =>
      reportOn(await fixture.direct.get(NODES, { name: "n1" }))?.installerMessage?.includes("localhost:1"),
    );
    writeFileSync(host.at("home/user-1/.ssh/authorized_keys"), "x\n");
    await waitFor("the keys to come back", () => host.opens("user-1").length === 1);
    expect(lines.filter((line) => /forbidden|"code":403|EMFILE|This is a bug/i.test(line))).toEqual([]);
  });

  test("gives its metrics to those only whom RBAC lets read them, and says to everybody how it is", async () => {
    const line = lines.find((one) => one.includes("Serving probes and metrics"));
    const port = Number((JSON.parse(line ?? "{}") as { port?: number }).port);
    const get = (path: string, token?: string, servername = SERVER_NAME): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
        https
          .get({ host: "127.0.0.1", port, path, ca, servername, headers }, (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          })
          .on("error", reject);
      });
    const tokenOf = async (name: string, audiences?: string[]): Promise<string> => {
      const { status } = await fixture.direct.request<{ status: { token: string } }>({
        method: "POST",
        path: `/api/v1/namespaces/${fixture.home}/serviceaccounts/${name}/token`,
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences } },
      });
      return status.token;
    };
    for (const name of ["reader", "nobody"])
      await fixture.direct.create(SERVICE_ACCOUNTS, { metadata: { namespace: fixture.home, name } });
    const rbac = "rbac.authorization.k8s.io";
    const metadata = { name: "metrics-reader" };
    const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    const subjects = [{ kind: "ServiceAccount", namespace: fixture.home, name: "reader" }];
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name: "metrics-reader" };
    const apiVersion = `${rbac}/v1`;
    await fixture.direct.request({
      method: "POST",
      path: `${RBAC}/clusterroles`,
      body: { apiVersion, kind: "ClusterRole", metadata, rules },
    });
    await fixture.direct.request({
      method: "POST",
      path: `${RBAC}/clusterrolebindings`,
      body: { apiVersion, kind: "ClusterRoleBinding", metadata, roleRef, subjects },
    });
    expect([await get("/healthz"), await get("/readyz")]).toEqual([200, 200]);
    await expect(get("/healthz", undefined, "another.example.com")).rejects.toThrow(/altnames|name/i);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    expect([await get("/metrics"), await get("/metrics", "forged")]).toEqual([401, 401]);
    expect(await get("/metrics", await tokenOf("nobody"))).toBe(403);
    expect(await get("/metrics", await tokenOf("reader", ["elsewhere"]))).toBe(401);
    // The server's own authorizer may see the new binding a little later.
    const only = await tokenOf("reader", [METRICS_AUDIENCE]);
    await waitFor("the right", async () => (await get("/metrics", only)) === 200, 60_000);
    expect(await get("/metrics", await tokenOf("reader"))).toBe(200);
  });

  test("is small at rest, and has nothing to do with other nodes", async () => {
    const { labels } = (await fixture.direct.get(NODES, { name: "n2" })).metadata;
    expect(labels).toBeUndefined();
    // The limit that is promised is 60 MB; bench/agent measures it in quiet.
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child?.pid ?? 0}/status`, "utf8"))?.[1]);
    expect(rss / 1024).toBeLessThan(75);
  });

  test("leaves accounts as they are without its token, and continues by itself with a new one", async () => {
    await fixture.direct.delete(SERVICE_ACCOUNTS, { namespace: fixture.home, name: AGENT_ACCOUNT });
    await makeUser(fixture, { name: "late", sshKeys: [{ key: publicKey("late") }] });
    // The server believes a token for some seconds after its account is gone, so that there must be more to say.
    let change = 0;
    await waitFor(
      "a refusal",
      async () => {
        await fixture.direct.patch(USERS, { name: "late" }, { spec: { fullName: `Late ${++change}` } });
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return lines.some((line) => /401|Unauthorized/.test(line));
      },
      60_000,
    );
    expect(host.opens("user-0")).toHaveLength(1);
    const from = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    // It tries again, with backoff. Counted by its own clock: on a slow machine older lines come later.
    const said = lines.filter((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= from);
    expect(said.length / ((Date.now() - from) / 1000)).toBeLessThan(20);
    await createAgentAccount(fixture);
    await admit();
    await waitFor("the account", () => host.opens("late").length === 1, 60_000);
    await waitFor("the status", async () => (await readyReason("late")) === "Accepted", 90_000);
  });

  test("row 19: keeps accounts in order when its rights are revoked, logs it, and continues when it has them again", async () => {
    const tamper = async (): Promise<void> => {
      writeFileSync(host.at("home/user-1/.ssh/authorized_keys"), "x\n");
      await waitFor("the keys to come back", () => host.opens("user-1").length === 1);
    };
    const recorded = async (): Promise<number> => {
      const path = "/apis/events.k8s.io/v1/events?fieldSelector=regarding.name=user-1";
      const { items } = await fixture.direct.request<{ items: { series?: { count: number } }[] }>({
        method: "GET",
        path,
      });
      return items.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
    };
    await fixture.direct.request({ method: "DELETE", path: `${RBAC}/clusterrolebindings/${AGENT_ACCOUNT}` });
    const before = lines.length;
    await waitFor(
      "a refusal",
      async () => {
        await tamper();
        return lines.slice(before).some((line) => /403|forbidden/i.test(line));
      },
      60_000,
    );
    expect(host.opens("user-0")).toHaveLength(1);
    await bindAgent(fixture);
    const known = await recorded();
    await waitFor(
      "an event again",
      async () => {
        await tamper();
        return (await recorded()) > known;
      },
      60_000,
    );
    await makeUser(fixture, { name: "after", sshKeys: [{ key: publicKey("after") }] });
    await waitFor("the account", () => host.opens("after").length === 1, 60_000);
  });

  test("ends in order when asked, and leaves the accounts", async () => {
    const exit = new Promise<number | null>((resolve) => child?.once("exit", resolve));
    child?.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(host.opens("user-0")).toHaveLength(1);
  });
});
