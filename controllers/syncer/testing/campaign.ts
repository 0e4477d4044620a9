// Changes that people make on a hub and in a member, drawn from a seed, and what must hold when they end.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FleetServer, installHubKinds, ShareProbe, type RunningSyncer } from "../../../test/harness/fleet";
import { CONFIG_MAPS, waitFor, type DataObject } from "../../../test/harness/fault-proxy";
import { ALLOW_DELETION } from "../../app/deletion-guard";
import type { Random } from "../../runtime";
import { NAMESPACES } from "../kinds";
import { REMOVE } from "../names";

/** A hub and a member, and a cluster between them. */
export interface Fleet {
  hub: FleetServer;
  /** Where the hub keeps its data. */
  dir: string;
  member: FleetServer;
  shares: ShareProbe;
  /** Another server, with the kind Share, as a second hub or a second member. */
  other: FleetServer;
}

/** Starts the servers; what is given back stops them. */
export async function startFleet(): Promise<{ fleet: Fleet; stop: () => Promise<void> }> {
  const components = { controllerManager: false, scheduler: false };
  const scratch = await mkdtemp(path.join(tmpdir(), "fleetwright-rows-"));
  const dir = path.join(scratch, "hub");
  const [hub, member, other] = await Promise.all([
    FleetServer.start({ server: "hub-apiserver", dir, durable: false }),
    FleetServer.start({ components }),
    FleetServer.start({ components }),
  ]);
  for (const one of [hub, other]) await installHubKinds(one, ["Share"]);
  const shares = new ShareProbe(hub, "east");
  await shares.open();
  return {
    fleet: { hub, dir, member, shares, other },
    async stop() {
      await Promise.all([hub, member, other].map((one) => one.stop()));
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const NAMESPACE = "shop";
/** From the end of a fault until all must be as declared. */
const CONVERGED_MS = 60_000;

/** ConfigMaps that a seed declares, changes and takes back. */
export class Campaign {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #prefix: string;
  readonly #wanted = new Map<string, string>();
  readonly #removed = new Set<string>();
  readonly #foreign = new Map<string, string>();
  #count = 0;

  constructor(fleet: Fleet, random: Random, seed: number) {
    this.#fleet = fleet;
    this.#random = random;
    this.#prefix = `s${seed}-${Math.floor(random() * 1e6)}`;
  }

  /** What is declared now. */
  get names(): string[] {
    return [...this.#wanted.keys()];
  }

  /** What is declared now, with its values. */
  get declared(): ReadonlyMap<string, string> {
    return new Map(this.#wanted);
  }

  /** The UIDs of what is declared, in the member. */
  async uids(): Promise<Record<string, string | undefined>> {
    const all: Record<string, string | undefined> = {};
    for (const name of this.#wanted.keys()) all[name] = (await this.found(name))?.metadata.uid;
    return all;
  }

  /** An object of the campaign in the member. */
  found(name: string): Promise<DataObject | undefined> {
    return this.#fleet.member.find(CONFIG_MAPS, { name, namespace: NAMESPACE });
  }

  /** The hub went back to what was declared then. */
  returnTo(declared: ReadonlyMap<string, string>): void {
    this.#wanted.clear();
    for (const [name, value] of declared) {
      this.#wanted.set(name, value);
      this.#removed.delete(name);
    }
  }

  /** Declares everything once more, with the values that it has. */
  async declareAgain(): Promise<void> {
    for (const [name, value] of this.#wanted) await this.#put(name, value);
    for (const name of this.#foreign.keys()) await this.#put(name, "ours");
  }

  /** Makes the namespace, and objects of somebody else whose names the hub will want, too. */
  async begin(foreign = 2): Promise<void> {
    const { member } = this.#fleet;
    await member.direct.create(NAMESPACES, { metadata: { name: NAMESPACE } }).catch(() => undefined);
    for (let count = 0; count < foreign; count++) {
      const name = `${this.#prefix}-theirs-${count}`;
      await member.direct.create(CONFIG_MAPS, {
        metadata: { name, namespace: NAMESPACE },
        data: { of: "others" },
      });
      this.#foreign.set(name, "others");
      await this.#put(name, "ours");
    }
  }

  /** So many changes on the hub, one after another. */
  async change(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const names = [...this.#wanted.keys()];
      const name = names[Math.floor(this.#random() * names.length)];
      const what = this.#random();
      if (name === undefined || what < 0.5) await this.#declare(`${this.#prefix}-${this.#count++}`);
      else if (what < 0.8) await this.#declare(name);
      else await this.#remove(name);
    }
  }

  /** What people do to the hub's objects in the member. */
  async meddle(steps: number): Promise<void> {
    const { direct } = this.#fleet.member;
    for (let step = 0; step < steps; step++) {
      const names = [...this.#wanted.keys()];
      const name = names[Math.floor(this.#random() * names.length)];
      if (name === undefined) continue;
      const ref = { name, namespace: NAMESPACE };
      const what = this.#random();
      const query = { fieldManager: "somebody" };
      if (what < 0.4) await direct.delete(CONFIG_MAPS, ref).catch(() => undefined);
      else if (what < 0.8)
        await direct.patch(CONFIG_MAPS, ref, { data: { value: "theirs" } }, { query }).catch(() => undefined);
      else
        await direct.patch(CONFIG_MAPS, ref, { data: { more: "theirs" } }, { query }).catch(() => undefined);
    }
  }

  /** Waits until the member has what is declared and nothing that was taken back, and others' objects are as they were. */
  async converged(timeoutMs = CONVERGED_MS): Promise<void> {
    let problem = "";
    await waitFor(
      "the member to be as declared",
      async () => {
        problem = await this.#difference();
        return problem === "";
      },
      timeoutMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} ${problem}`, { cause: error });
    });
  }

  /** Takes all back. */
  async end(): Promise<void> {
    const names = [...this.#wanted.keys(), ...this.#foreign.keys()];
    for (const name of names) await this.#remove(name);
    for (const name of names) await this.#fleet.shares.gone(name);
    for (const name of this.#foreign.keys())
      await this.#fleet.member.direct.delete(CONFIG_MAPS, { name, namespace: NAMESPACE });
  }

  async #difference(): Promise<string> {
    const { member, shares } = this.#fleet;
    for (const [name, value] of this.#wanted) {
      const found = await member.find(CONFIG_MAPS, { name, namespace: NAMESPACE });
      if (found?.data?.value !== value)
        return `${name} has ${found?.data?.value ?? "nothing"}, not ${value}.`;
      const share = await shares.get(name);
      if (share?.status?.appliedHash !== share?.spec.hash) return `The Share ${name} does not say so yet.`;
    }
    for (const name of this.#removed) {
      if ((await shares.get(name)) !== undefined) return `The Share ${name} is still there.`;
      if ((await member.find(CONFIG_MAPS, { name, namespace: NAMESPACE })) !== undefined)
        return `${name} is still there.`;
    }
    for (const [name, value] of this.#foreign) {
      const found = await member.find(CONFIG_MAPS, { name, namespace: NAMESPACE });
      if (found?.data?.of !== value || found.data.value !== undefined)
        return `${name} of others was changed.`;
    }
    return "";
  }

  async #declare(name: string): Promise<void> {
    const value = String(Math.floor(this.#random() * 1e9));
    await this.#put(name, value);
    this.#wanted.set(name, value);
  }

  async #put(name: string, value: string): Promise<void> {
    const manifest: DataObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: NAMESPACE },
      data: { value },
    };
    await this.#fleet.shares.put(name, manifest);
  }

  async #remove(name: string): Promise<void> {
    await this.#fleet.shares.remove(name, { [REMOVE]: "true", [ALLOW_DELETION]: "true" });
    this.#wanted.delete(name);
    if (!this.#foreign.has(name)) this.#removed.add(name);
  }
}

/** Waits until a syncer writes nothing for a while; fails if it never stops. */
export async function atRest(
  running: readonly RunningSyncer[],
  forMs = 2500,
  timeoutMs = 60_000,
): Promise<void> {
  const count = (): number => running.reduce((sum, one) => sum + one.writes().length, 0);
  const end = performance.now() + timeoutMs;
  for (let known = -1; known !== count();) {
    if (performance.now() > end)
      throw new Error(`It still writes: ${running[0]?.writes().slice(-5).join(", ") ?? ""}`);
    known = count();
    await new Promise((resolve) => setTimeout(resolve, forMs));
  }
}
