// Rows 33 and 34 of the fault matrix, twenty seeds each, with our AWS provider and no engine: what AWS refuses and delays, and
// volumes that hang.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repeatable, testSeeds } from "../../../test/harness/seed";
import { startAws, type Aws, type Fault } from "../../aws";
import { randomFrom } from "../../aws/faults";
import { IMAGE } from "../../aws/testing/aws-fixture";
import { Journal } from "./core/journal";
import { AwsOperations } from "./operations";
import { AwsSession } from "./session";
import { readSettings } from "./settings";

let aws: Aws;
let notes: string;
const sessions: AwsSession[] = [];
beforeAll(async () => {
  notes = mkdtempSync(join(tmpdir(), "fleetwright-faults-"));
  aws = await startAws({ timing: { instance: 30, stop: 30, volume: 20, attachment: 20 } });
});
afterEach(() => aws.faults.clear());
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await aws.stop();
  rmSync(notes, { recursive: true, force: true });
});

function open(): AwsOperations {
  const endpoints = [Object.fromEntries(["ec2", "iam", "sts"].map((service) => [service, aws.endpoint]))];
  const settings = {
    ...{ region: aws.region, accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "sandbox" },
    endpoints,
  };
  const session = new AwsSession(readSettings(settings, {}));
  sessions.push(session);
  return new AwsOperations(session, new Journal(notes));
}

type Inputs = Record<string, unknown>;

/** What was made, to be deleted in the other order. */
class Made {
  readonly #made: { urn: string; id: string; state: Inputs }[] = [];

  constructor(
    private readonly provider: AwsOperations,
    private readonly seed: number,
  ) {}

  async create(type: string, inputs: Inputs, timeoutSeconds?: number): Promise<string> {
    const urn = `urn:pulumi:seed-${this.seed}::fleet::aws:${type}::one-${this.#made.length}`;
    const options = timeoutSeconds === undefined ? {} : { timeoutSeconds };
    const { id, state } = await this.provider.create(urn, inputs, options);
    this.#made.push({ urn, id, state: { ...state } });
    return id;
  }

  /** The id of the first one of a type. */
  idOf(type: string): string {
    return this.#made.find(({ urn }) => urn.includes(`::aws:${type}::`))?.id ?? "";
  }

  async deleteLast(timeoutSeconds?: number): Promise<void> {
    const last = this.#made.at(-1);
    if (last === undefined) return;
    const options = timeoutSeconds === undefined ? {} : { timeoutSeconds };
    await this.provider.delete(last.urn, last.id, last.state, options);
    this.#made.pop();
  }

  async deleteAll(): Promise<void> {
    while (this.#made.length > 0) await this.deleteLast();
  }
}

/** A volume, and a machine in its zone. */
async function machineAndVolume(
  made: Made,
  zone = "a",
  timeoutSeconds?: number,
): Promise<{ volumeId: string; instanceId: string }> {
  const vpcId = await made.create("ec2/vpc:Vpc", { cidrBlock: "10.1.0.0/16" });
  const inZone = { availabilityZone: `${aws.region}${zone}` };
  const subnetId = await made.create("ec2/subnet:Subnet", { vpcId, cidrBlock: "10.1.0.0/24", ...inZone });
  const volumeId = await made.create("ebs/volume:Volume", { availabilityZone: `${aws.region}a`, size: 1 });
  const instanceId = await made.create(
    "ec2/instance:Instance",
    {
      ...{ ami: IMAGE, instanceType: "t3.micro", subnetId },
    },
    timeoutSeconds,
  );
  return { volumeId, instanceId };
}

const CREATED = ["CreateVpc", "CreateSubnet", "CreateVolume", "RunInstances", "AttachVolume"];
const results = (after: number, action: string): string[] =>
  aws.ledger
    .entries(after)
    .filter((entry) => entry.action === action)
    .map(({ result }) => result);
const ledgerEnd = (): number => aws.ledger.entries(0).at(-1)?.sequence ?? 0;

describe("row 33: AWS throttles, fails, shows late what it made", () => {
  test.each(testSeeds(20))("seed %i: everything is made once, and nothing is left", async (seed) => {
    await repeatable(seed, __filename, async () => {
      const random = randomFrom(seed);
      const after = ledgerEnd();
      const faults: Fault[] = [
        { service: "ec2", effect: { kind: "throttle" }, rate: 0.1 + random() * 0.25, seed },
        { service: "ec2", effect: { kind: "error", code: "InternalError" }, rate: 0.1, seed: seed + 1 },
        { service: "ec2", effect: { kind: "delay", ms: 20 + random() * 60 }, rate: 0.3, seed: seed + 2 },
        ...CREATED.slice(0, 4).map((action, index): Fault => ({
          ...{ service: "ec2", action, rate: 0.7, seed: seed + 3 + index },
          effect: { kind: "unseen", ms: 50 + random() * 400 },
        })),
      ];
      for (const fault of faults) aws.faults.add(fault);
      const made = new Made(open(), seed);
      const { volumeId, instanceId } = await machineAndVolume(made);
      await made.create("ec2/volumeAttachment:VolumeAttachment", {
        ...{ volumeId, instanceId, deviceName: "/dev/sdf" },
      });
      await made.deleteAll();
      aws.faults.clear();
      for (const action of CREATED)
        expect({ action, made: results(after, action).filter((result) => result === "ok").length }).toEqual({
          action,
          made: 1,
        });
      expect(await aws.leftovers()).toEqual([]);
    });
  });

  test.each(testSeeds(20))(
    "seed %i: a quota is an error at once; what was made before goes",
    async (seed) => {
      await repeatable(seed, __filename, async () => {
        const after = ledgerEnd();
        const code = randomFrom(seed)() < 0.5 ? "VcpuLimitExceeded" : "InstanceLimitExceeded";
        const effect = {
          kind: "error",
          code,
          message: "You have requested more than your limit.",
          status: 400,
        } as const;
        aws.faults.add({ service: "ec2", action: "RunInstances", effect });
        const made = new Made(open(), seed);
        await expect(machineAndVolume(made)).rejects.toThrow(/requested more than your limit/);
        expect(results(after, "RunInstances")).toEqual([code]);
        await made.deleteAll();
        expect(await aws.leftovers()).toEqual([]);
      });
    },
  );
});

describe("row 33: AWS has no room for a machine", () => {
  test.each(testSeeds(20))("seed %i: it waits for some a while, or says so and makes none", async (seed) => {
    await repeatable(seed, __filename, async () => {
      const random = randomFrom(seed);
      const after = ledgerEnd();
      const made = new Made(open(), seed);
      const times = 1 + Math.floor(random() * 3);
      const comes = random() < 0.5;
      const full: Fault = { service: "ec2", action: "RunInstances", effect: { kind: "capacity" } };
      aws.faults.add(comes ? { ...full, times } : full);
      const refused = "InsufficientInstanceCapacity";
      const building = machineAndVolume(made, "a", 10);
      if (comes) {
        await building;
        expect(results(after, "RunInstances")).toEqual([...Array<string>(times).fill(refused), "ok"]);
      } else {
        await expect(building).rejects.toThrow(/do not have sufficient capacity/);
        expect(new Set(results(after, "RunInstances"))).toEqual(new Set([refused]));
        // What was made before it stays as it is, and the machine comes once there is room.
        aws.faults.clear();
        const subnetId = made.idOf("ec2/subnet:Subnet");
        await made.create("ec2/instance:Instance", { ami: IMAGE, instanceType: "t3.micro", subnetId });
        expect(results(after, "RunInstances").filter((result) => result === "ok")).toHaveLength(1);
        expect(results(after, "CreateVolume")).toEqual(["ok"]);
      }
      await made.deleteAll();
      expect(await aws.leftovers()).toEqual([]);
    });
  });
});

describe("row 34: volumes that hang, lie elsewhere, come from nothing", () => {
  test.each(testSeeds(20))("seed %i: a volume stays the one that it is", async (seed) => {
    await repeatable(seed, __filename, async () => {
      const random = randomFrom(seed);
      const after = ledgerEnd();
      const made = new Made(open(), seed);
      const far = random() < 0.5;
      const { volumeId, instanceId } = await machineAndVolume(made, far ? "b" : "a");
      const attachment = { volumeId, instanceId, deviceName: "/dev/sdf" };
      const attach = made.create("ec2/volumeAttachment:VolumeAttachment", attachment, 20);
      if (far) {
        await expect(attach).rejects.toThrow(/not in the same availability zone/);
      } else {
        await attach;
        await aws.setAttachmentState(volumeId, "busy");
        // Somebody takes it off by force, sooner or later; until then nothing else is done to it.
        aws.faults.add({
          ...{ service: "ec2", action: "DetachVolume", times: 1 + Math.floor(random() * 3) },
          effect: { kind: "error", code: "IncorrectState", message: "The volume is busy.", status: 400 },
        });
        await made.deleteLast().catch(() => {});
        aws.faults.clear();
        await made.deleteLast();
      }
      const fromNothing = { availabilityZone: `${aws.region}a`, snapshotId: "snap-00000000000000000" };
      await expect(made.create("ebs/volume:Volume", fromNothing)).rejects.toThrow(/snap-00000000000000000/);
      expect(results(after, "CreateVolume").filter((result) => result === "ok")).toHaveLength(1);
      await made.deleteAll();
      expect(await aws.leftovers()).toEqual([]);
    });
  });
});
