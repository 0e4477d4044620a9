import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { NodeUpgradeStatus } from "../../../api";
import { certifiedKey, daysFromNow } from "../../../sandbox/controlplane/certificate";
import {
  startCoordinatorFixture,
  WITHOUT_UPGRADE,
  type CoordinatorFixture,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import {
  describeHosts,
  handOver,
  orderAgent,
  ProcessUnits,
  startAgent,
  HostFixture,
  installerDirectoryOf,
  type RunningAgent,
} from "../../../test/harness/agent";
import { NODES as COORDINATOR_NODES } from "../../coordinator/native-resources";
import { reportOn, type UpgradeReport } from "../../../api/upgrade-annotations";
import type { KubernetesObject } from "../../runtime";
import { NODES, UPGRADES, type UpgradeObject } from "../kinds";

const TARGET = "v1.36.0+rke2r1";

describeHosts("an upgrade on a node", () => {
  let fixture: CoordinatorFixture;
  let node: string;
  let host: HostFixture;
  let units: ProcessUnits;
  let server: https.Server;
  let ca: string;
  const scripts = new Map<string, string>();
  const agents: RunningAgent[] = [];

  const start = (more: Partial<Parameters<typeof startAgent>[1]> = {}): RunningAgent => {
    const agent = startAgent(fixture, {
      node,
      host,
      controllers: "upgrade",
      units,
      installerCa: ca,
      ...more,
    });
    agents.push(agent);
    return agent;
  };
  const hasReconciled = ({ agent }: RunningAgent): Promise<unknown> =>
    waitFor("a reconcile", async () => {
      // It looks again after a while as long as an installer runs.
      const results = ["success", "requeue"].map((result) =>
        agent.manager.metrics.reconciles.value({ controller: "upgrade", result }),
      );
      return (await Promise.all(results)).some((count) => count > 0);
    });
  const publish = (name: string, text: string): { url: string; digest: string } => {
    scripts.set(`/${name}`, text);
    const { port } = server.address() as AddressInfo;
    const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    return { url: `https://localhost:${port}/${name}`, digest };
  };
  const make = (name: string, installer: object, more: object = {}): Promise<UpgradeObject> => {
    const spec = {
      version: TARGET,
      installer,
      preflight: { skip: ["EtcdSnapshot", "VersionSkew", "NodeHealth", "Agents"] },
      ...more,
    };
    const object: KubernetesObject & { spec: object } = { metadata: { name }, spec };
    return fixture.direct.create(UPGRADES, object as UpgradeObject);
  };
  const reportFor = async (name: string): Promise<UpgradeReport | undefined> => {
    const { uid } = (await fixture.direct.get(UPGRADES, { name })).metadata;
    const report = reportOn(await fixture.direct.get(NODES, { name: node }));
    return report?.uid === uid ? report : undefined;
  };
  const until = (name: string, installer: string): Promise<UpgradeReport> =>
    waitFor(
      `the installer to be ${installer}`,
      async () => {
        const report = await reportFor(name);
        return report?.installer === installer ? report : undefined;
      },
      45_000,
    ) as Promise<UpgradeReport>;

  beforeAll(async () => {
    fixture = await startCoordinatorFixture({ nodes: 1 });
    const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path: "/api/v1/nodes",
    });
    node = items[0]?.metadata.name ?? "";
    const certificate = await certifiedKey({
      subject: { commonName: "localhost" },
      usages: ["serverAuth", "digitalSignature"],
      names: { dns: ["localhost"], ips: ["127.0.0.1"] },
      notAfter: daysFromNow(1),
    });
    ca = certificate.certificate;
    server = https.createServer(
      { key: certificate.key, cert: certificate.certificate },
      (request, response) => {
        const text = scripts.get(request.url ?? "");
        response.writeHead(text === undefined ? 404 : 200).end(text);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  });
  beforeEach(() => {
    host = new HostFixture();
    units = new ProcessUnits(host);
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.stop()));
    await units.close();
    await host.remove();
  });
  afterAll(async () => {
    server.close();
    await fixture.close();
  });

  test("runs the installer with its arguments unchanged, and reports the result", async () => {
    const out = host.at("out");
    const installer = publish("well", `#!/bin/sh\nprintf '%s|' "$@" >${out}\necho all went well\n`);
    await make("well", { ...installer, args: ["a b", "$(id)", "'"] });
    start();
    await handOver(fixture.direct, "well", node);
    const entry = await until("well", "Succeeded");
    expect(entry).toMatchObject({ attempt: 1, exitCode: 0 });
    expect(JSON.stringify(entry)).not.toContain("all went well");
    expect(readFileSync(out, "utf8")).toBe("a b|$(id)|'|");
  });

  test("is reported with its exit code and its own reason when it fails; what it wrote stays on the node", async () => {
    const script =
      "#!/bin/sh\nset -x\n: curl -H 'Authorization: Bearer s3cret'\necho Refused: no space left >&2\nexit 7\n";
    const { metadata } = await make("bad", publish("bad", script));
    start();
    await handOver(fixture.direct, "bad", node);
    const entry = await until("bad", "Failed");
    expect(entry).toMatchObject({ exitCode: 7, output: "Refused: no space left" });
    expect(entry.installerMessage).toContain("/var/lib/fleetwright/upgrades/");
    expect(JSON.stringify(entry)).not.toContain("s3cret");
    const output = path.join(installerDirectoryOf(host, metadata.uid ?? ""), "output");
    expect(readFileSync(output, "utf8")).toContain("s3cret");
    expect(statSync(output).mode & 0o777).toBe(0o600);
  });

  test("never runs an installer with another digest", async () => {
    const { url } = publish("other", `#!/bin/sh\ntouch ${host.at("ran")}\n`);
    await make("other", { url, digest: `sha256:${"0".repeat(64)}` });
    start();
    await handOver(fixture.direct, "other", node);
    const { installerMessage, exitCode } = await until("other", "Refused");
    expect(installerMessage).toMatch(/has digest sha256:[0-9a-f]{64} instead of sha256:0+ and was not run/);
    expect(exitCode).toBeUndefined();
    expect(existsSync(host.at("ran"))).toBe(false);
    expect(units.starts.size).toBe(0);
  });

  test("starts nothing after an abort, and reports so", async () => {
    await make("late", publish("late", `#!/bin/sh\ntouch ${host.at("ran")}\n`));
    await fixture.direct.patch(UPGRADES, { name: "late" }, { spec: { aborted: true } });
    await handOver(fixture.direct, "late", node, { what: "end" });
    start();
    await until("late", "Aborted");
    expect(units.starts.size).toBe(0);
  });

  test("continues without the agent, is not started again by the next one, and is then reported", async () => {
    const [gate, count] = [host.at("gate"), host.at("count")];
    const script = `#!/bin/sh\necho x >>${count}\nwhile [ ! -e ${gate} ]; do sleep 0.1; done\necho done\n`;
    const { metadata } = await make("long", publish("long", script));
    const first = start();
    await handOver(fixture.direct, "long", node);
    await until("long", "Running");
    await first.stop();
    const second = start();
    await hasReconciled(second);
    host.put("gate", "");
    expect(await until("long", "Succeeded")).toMatchObject({ exitCode: 0, attempt: 1 });
    await second.stop();
    await hasReconciled(start());
    expect(readFileSync(count, "utf8")).toBe("x\n");
    expect([...units.starts.values()]).toEqual([1]);
    // The host itself refuses a second start, whoever asks.
    await units.start("again", [
      "/bin/sh",
      `/var/lib/fleetwright/upgrades/${metadata.uid ?? ""}/run`,
      `/var/lib/fleetwright/upgrades/${metadata.uid ?? ""}`,
    ]);
    await waitFor("its end", async () => !(await units.isRunning("again")));
    expect(readFileSync(count, "utf8")).toBe("x\n");
  });

  test("is lost, and not started again, when the machine goes down under it", async () => {
    const { metadata } = await make("lost", publish("lost", "#!/bin/sh\nsleep 600\n"));
    const first = start();
    await handOver(fixture.direct, "lost", node);
    await until("lost", "Running");
    await waitFor("it to begin", () =>
      existsSync(`${installerDirectoryOf(host, metadata.uid ?? "")}/started`),
    );
    await first.stop();
    await units.close();
    start();
    await until("lost", "Lost");
    expect([...units.starts.values()]).toEqual([1]);
  });

  test("is stopped when the coordinator has given up on the node", async () => {
    const { metadata } = await make("stuck", publish("stuck", "#!/bin/sh\nsleep 600\n"));
    start();
    await handOver(fixture.direct, "stuck", node);
    await until("stuck", "Running");
    const entry = { name: node, phase: "Uncordoning", reason: "Timeout", attempt: 1 };
    const status = { phase: "Running", nodes: [entry] };
    await fixture.direct.patch(UPGRADES, { name: "stuck" }, { status }, { subresource: "status" });
    await orderAgent(fixture.direct, "stuck", node, "stop");
    const service = `fleetwright-upgrade-${metadata.uid ?? ""}`;
    await waitFor("its end", async () => !(await units.isRunning(service)));
    await until("stuck", "Lost");
  });

  test("is neither stopped nor ended on the word of the Node alone", async () => {
    const { metadata } = await make("held", publish("held", "#!/bin/sh\nsleep 600\n"));
    const { lines } = start();
    await handOver(fixture.direct, "held", node);
    await until("held", "Running");
    await orderAgent(fixture.direct, "held", node, "stop");
    await waitFor("the refusal", () => lines.some((line) => line.includes("leaving it alone")));
    expect(await units.isRunning(`fleetwright-upgrade-${metadata.uid ?? ""}`)).toBe(true);
    await make("unended", publish("unended", "#!/bin/sh\n"));
    await units.close();
    await handOver(fixture.direct, "unended", node, { what: "end" });
    await waitFor(
      "the folder of the other to go",
      () => !existsSync(installerDirectoryOf(host, metadata.uid ?? "")),
    );
    expect(await reportFor("unended")).toBeUndefined();
    await orderAgent(fixture.direct, "unended", node, "run");
    await until("unended", "Succeeded");
  });

  test.each<[string, Partial<NodeUpgradeStatus>]>([
    ["is not with the node yet", { phase: "Draining" }],
    ["has had its run there", { attempt: 1 }],
  ])("is not run on the word of the Node alone: it %s", async (what, entry) => {
    const name = what.split(" ").at(-1) ?? "";
    await make(name, publish(name, `#!/bin/sh\ntouch ${host.at("ran")}\n`));
    await handOver(fixture.direct, name, node, entry);
    await hasReconciled(start());
    expect(units.starts.size).toBe(0);
    expect(await reportFor(name)).toBeUndefined();
  });

  test("is forgotten on the host with its order", async () => {
    const { metadata } = await make("gone", publish("gone", "#!/bin/sh\n"));
    start();
    await handOver(fixture.direct, "gone", node);
    await until("gone", "Succeeded");
    expect(existsSync(installerDirectoryOf(host, metadata.uid ?? ""))).toBe(true);
    await fixture.direct.patch(NODES, { name: node }, WITHOUT_UPGRADE);
    await waitFor("the folder to go", () => !existsSync(installerDirectoryOf(host, metadata.uid ?? "")));
  });

  test("together with the real coordinator leaves no node cordoned, whichever write the agent dies before", async () => {
    const count = host.at("count");
    const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path: "/apis/fleetwright.dev/v1/clusterupgrades",
    });
    for (const { metadata } of items) await fixture.direct.delete(UPGRADES, metadata);
    await fixture.direct.patch(NODES, { name: node }, WITHOUT_UPGRADE);
    await fixture.start({ controllers: "upgrades" });
    const setVersion = (kubeletVersion: string): Promise<unknown> =>
      fixture.direct.patch(
        NODES,
        { name: node },
        { status: { nodeInfo: { kubeletVersion } } },
        { subresource: "status" },
      );
    let deaths = 0;
    for (let write = 1; ; write++) {
      const name = `crash-${write}`;
      await setVersion("v1.35.4");
      await make(name, publish(name, `#!/bin/sh\necho ${name} >>${count}\n`), { drain: { graceSeconds: 0 } });
      const fate = { died: false };
      const agent = start({
        failpoint: {
          write,
          die: () => {
            fate.died = true;
            throw new Error("died at the failpoint");
          },
        },
      });
      const ran = (): boolean => existsSync(count) && readFileSync(count, "utf8").includes(`${name}\n`);
      const reported = async (): Promise<boolean> => (await reportFor(name))?.installer === "Succeeded";
      await waitFor("a death or an end", async () => fate.died || (await reported()), 60_000);
      await agent.stop();
      const second = start();
      await waitFor(`the installer to be reported after a death before write ${write}`, reported, 60_000);
      expect(ran()).toBe(true);
      await setVersion(TARGET);
      await waitFor(
        "the upgrade to succeed",
        async () => (await fixture.direct.get(UPGRADES, { name })).status?.phase === "Succeeded",
        60_000,
      );
      const { spec } = await fixture.direct.get(COORDINATOR_NODES, { name: node });
      expect(spec?.unschedulable).toBeUndefined();
      await second.stop();
      await fixture.direct.delete(UPGRADES, { name });
      if (!fate.died) break;
      deaths += 1;
    }
    // Once each, however often the agent died.
    const lines = readFileSync(count, "utf8").trim().split("\n");
    expect(lines).toEqual(Array.from({ length: deaths + 1 }, (_, index) => `crash-${index + 1}`));
    expect(deaths).toBeGreaterThan(5);
  }, 300_000);
});
