import { isDeepStrictEqual } from "node:util";
import type { CloudState, InstanceState } from "../aws";
import type { LoadBalancerSpec, MachineSpec, MachineState, VolumeState } from "../machines";
import { balancerSpecOf, machineChanges, machineSpecOf, type CloudScope } from "./specs";

/** What there is on this machine. */
export interface ActualState {
  machines: readonly MachineState[];
  volumes: readonly VolumeState[];
  snapshots: readonly string[];
  balancers: readonly LoadBalancerSpec[];
}

/** One thing to do. `key` is the object it is done to: nothing else is done to that one meanwhile. */
export type Step = { key: string } & (
  | { do: "launch"; spec: MachineSpec }
  | { do: "start" | "stop" | "terminate" | "report stopped" | "report ended" }
  | { do: "update"; changes: Partial<MachineSpec> }
  | { do: "create volume"; sizeGiB: number; snapshotId?: string }
  | { do: "resize volume"; sizeGiB: number }
  | { do: "delete volume" | "detach volume" }
  | { do: "attach volume"; machineId: string; device: string }
  | { do: "take snapshot"; volumeId: string }
  | { do: "delete snapshot" }
  | { do: "balance"; spec: LoadBalancerSpec }
  | { do: "unbalance" }
);

const ALIVE = ["pending", "running"];
const RESTING = ["stopping", "stopped"];

/**
 * What is to be done so that machines, volumes and load balancers become what AWS's API says. It looks only at the two
 * states, so that it does not matter what was missed, done twice or cut short before.
 */
export function planSteps(wanted: CloudState, seen: ActualState, scope: CloudScope, now: number): Step[] {
  return [
    ...machineSteps(wanted.instances, seen.machines, scope, now),
    ...volumeSteps(wanted, seen),
    ...snapshotSteps(wanted, seen),
    ...balancerSteps(wanted, seen),
  ];
}

function machineSteps(
  instances: readonly InstanceState[],
  machines: readonly MachineState[],
  scope: CloudScope,
  now: number,
): Step[] {
  const living = instances.filter(({ state }) => [...ALIVE, ...RESTING].includes(state));
  const byId = new Map(machines.map((machine) => [machine.id, machine]));
  const addresses = new Set(machines.map(({ privateIp }) => privateIp));
  const gone = machines.filter(({ id }) => !living.some((instance) => instance.id === id));
  return [
    ...gone.map(({ id }): Step => ({ key: id, do: "terminate" })),
    ...living.flatMap((instance): Step[] => {
      const key = instance.id;
      const machine = byId.get(key);
      const runs = ALIVE.includes(instance.state);
      const hasEnded =
        machine === undefined || (machine.desired === "stopped" && machine.state !== "running");
      if (instance.state === "stopping" && hasEnded) return [{ key, do: "report ended" }];
      if (machine === undefined) {
        // The address may still be held by a machine that is on its way out.
        if (!runs || addresses.has(instance.privateIp)) return [];
        return [{ key, do: "launch", spec: machineSpecOf(instance, scope, now) }];
      }
      if (!runs) return machine.desired === "running" ? [{ key, do: "stop" }] : [];
      if (machine.desired === "stopped") return [{ key, do: "start" }];
      if (machine.state === "stopped" && instance.state === "running") return [{ key, do: "report stopped" }];
      const changes = machineChanges(machine.spec, machineSpecOf(instance, scope, now), now);
      return changes === undefined ? [] : [{ key, do: "update", changes }];
    }),
  ];
}

function volumeSteps({ instances, volumes }: CloudState, seen: ActualState): Step[] {
  const rootDevices = new Set(instances.map(({ id, rootDevice }) => `${id} ${rootDevice}`));
  // A machine's root is made with it.
  const data = volumes.filter(
    ({ attachments }) =>
      !attachments.some(({ instanceId, device }) => rootDevices.has(`${instanceId} ${device}`)),
  );
  const byId = new Map(seen.volumes.map((volume) => [volume.id, volume]));
  const machines = new Set(seen.machines.map(({ id }) => id));
  const gone = seen.volumes.filter(({ id }) => !data.some((volume) => volume.id === id));
  return [
    ...gone.map(({ id, attachment }): Step => ({
      key: id,
      do: attachment === undefined ? "delete volume" : "detach volume",
    })),
    ...data.flatMap(({ id: key, sizeGiB, snapshotId, attachments: [target] }): Step[] => {
      const volume = byId.get(key);
      if (volume === undefined) {
        // What a snapshot holds that was not taken here is not known here.
        const source = seen.snapshots.includes(snapshotId ?? "") ? snapshotId : undefined;
        return [
          { key, do: "create volume", sizeGiB, ...(source === undefined ? {} : { snapshotId: source }) },
        ];
      }
      const held = volume.attachment;
      if (held !== undefined && (held.machineId !== target?.instanceId || held.device !== target.device)) {
        return [{ key, do: "detach volume" }];
      }
      if (target !== undefined && held === undefined && machines.has(target.instanceId)) {
        return [{ key, do: "attach volume", machineId: target.instanceId, device: target.device }];
      }
      return volume.sizeGiB < sizeGiB ? [{ key, do: "resize volume", sizeGiB }] : [];
    }),
  ];
}

function snapshotSteps({ snapshots }: CloudState, seen: ActualState): Step[] {
  const volumes = new Set(seen.volumes.map(({ id }) => id));
  const gone = seen.snapshots.filter((id) => !snapshots.some((snapshot) => snapshot.id === id));
  return [
    ...snapshots
      .filter(({ id, volumeId }) => !seen.snapshots.includes(id) && volumes.has(volumeId))
      .map(({ id, volumeId }): Step => ({ key: id, do: "take snapshot", volumeId })),
    ...gone.map((key): Step => ({ key, do: "delete snapshot" })),
  ];
}

function balancerSteps({ balancers }: CloudState, seen: ActualState): Step[] {
  const wanted = balancers.filter(({ type }) => type === "network").map(balancerSpecOf);
  const byId = new Map(seen.balancers.map((spec) => [spec.id, spec]));
  return [
    ...seen.balancers
      .filter(({ id }) => !wanted.some((spec) => spec.id === id))
      .map(({ id }): Step => ({ key: id, do: "unbalance" })),
    ...wanted
      .filter((spec) => !isDeepStrictEqual(byId.get(spec.id), spec))
      .map((spec): Step => ({ key: spec.id, do: "balance", spec })),
  ];
}
