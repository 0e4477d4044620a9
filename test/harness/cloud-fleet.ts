import { rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { startCloud, type Cloud } from "../../sandbox/cloud/cloud";
import { isObject } from "../../lib/json";
import type { MachineHost } from "../../sandbox/machines";
import { attempt } from "../../sandbox/machines/command";
import { testCloudFolder } from "../../sandbox/machines/testing/machine-host";
import { installProviders } from "../../sandbox/providers";
import { Engine } from "./engine";

const fleetOutputs = z.object({
  page: z.string(),
  loginKey: z.string(),
  servers: z.array(
    z.object({
      id: z.string(),
      address: z.string(),
      hostKey: z.string(),
      volume: z.string(),
      history: z.string(),
    }),
  ),
});
/** What the program `cloud-fleet` gives back. */
export type FleetOutputs = z.infer<typeof fleetOutputs>;

/** The program `cloud-fleet` with an engine inside a cloud's network. */
export class FleetProgram {
  private constructor(
    readonly engine: Engine,
    readonly program: string,
    /** What the engine needs to find the cloud. */
    readonly environment: Readonly<Record<string, string>>,
    private readonly inside: (argv: readonly string[]) => readonly string[],
  ) {}

  /** Makes a stack; nothing is in it yet. */
  static async open(
    environment: Readonly<Record<string, string>>,
    inside: (argv: readonly string[]) => readonly string[],
  ): Promise<FleetProgram> {
    const engine = await Engine.open({ inside });
    await installProviders(engine.home, ["aws", "command", "tls"]);
    const fleet = new FleetProgram(engine, engine.program("cloud-fleet"), environment, inside);
    await fleet.run(["stack", "init", "dev"]);
    return fleet;
  }

  /** Runs `pulumi` and gives what it printed; fails unless it succeeds. */
  run(args: readonly string[]): Promise<string> {
    return this.engine.expect(args, this.program, this.environment);
  }

  /** Runs an operation and counts what it did, by kind. */
  async changes(operation: "up" | "refresh" | "destroy"): Promise<Record<string, number>> {
    const args = [operation, "--yes", "--skip-preview", "--json"];
    const { code, stdout, stderr } = await this.engine.pulumi(args, this.program, this.environment);
    const events = stdout
      .split("\n")
      .map((line): unknown => (line.startsWith("{") ? JSON.parse(line) : undefined))
      .filter(isObject);
    if (code !== 0) {
      const errors = events.map(({ diagnosticEvent }) => diagnosticEvent).filter(isObject);
      const messages = errors.filter(({ severity }) => severity === "error").map(({ message }) => message);
      throw new Error(`pulumi ${operation} ended with ${code}:\n${messages.join("")}${stderr}`);
    }
    const summaries = events.map(({ summaryEvent }) => summaryEvent).filter(isObject);
    return z.record(z.string(), z.number()).parse(summaries.at(-1)?.resourceChanges ?? {});
  }

  /** The stack's outputs. */
  async outputs(): Promise<FleetOutputs> {
    return fleetOutputs.parse(JSON.parse(await this.run(["stack", "output", "--json", "--show-secrets"])));
  }

  /** Runs a command on a server over SSH, with its host key checked. */
  async ssh(address: string, command: string): Promise<string> {
    const { loginKey, servers } = await this.outputs();
    const key = this.engine.path("login");
    const known = this.engine.path("known-hosts");
    await writeFile(key, loginKey, { mode: 0o600 });
    await writeFile(known, servers.map((server) => `${server.address} ${server.hostKey.trim()}\n`).join(""));
    const settings = ["-F", "none", "-i", key, "-o", `UserKnownHostsFile=${known}`, "-o", "BatchMode=yes"];
    const argv = this.inside(["ssh", ...settings, `debian@${address}`, command]);
    const { code, stdout, stderr } = await attempt(argv);
    if (code !== 0) throw new Error(`ssh ${address} ${command} ended with ${code}: ${stderr}`);
    return stdout;
  }
}

/** The program on a cloud of this process's own. */
export class CloudFleet {
  private constructor(
    readonly dir: string,
    readonly cloud: Cloud,
    readonly machineHost: MachineHost,
    readonly program: FleetProgram,
  ) {}

  /** Brings up a cloud and makes a stack; nothing is in it yet. */
  static async open(): Promise<CloudFleet> {
    const dir = testCloudFolder();
    const cloud = await startCloud({ dir });
    const { machineHost, reason } = cloud;
    if (machineHost === undefined) throw new Error(`there are no machines: ${reason ?? ""}`);
    const environment = { ...cloud.aws.environment, AWS_ENDPOINT_URL: cloud.endpoint };
    const program = await FleetProgram.open(environment, (argv) => machineHost.command(argv));
    return new CloudFleet(dir, cloud, machineHost, program);
  }

  /** Ends everything and removes every trace. */
  async close(): Promise<void> {
    await this.program.engine.close();
    await this.cloud.stop();
    await rm(this.dir, { recursive: true, force: true });
  }
}
