import type { BalancerState, CloudState, InstanceState, VolumeState } from "../aws";
import type { MachineState, VolumeState as SeenVolume } from "../machines";
import { planSteps, type ActualState } from "./plan";
import { balancerSpecOf, machineSpecOf } from "./specs";

const SCOPE = { region: "eu-central-1", account: "123456789012" };
const NOW = Date.parse("2026-11-16T12:00:00Z");

function instance(more: Partial<InstanceState> = {}): InstanceState {
  return {
    ...{ id: "i-0a", state: "running", imageId: "ami-1", type: "t3.micro", zone: "eu-central-1a" },
    ...{ vpcId: "vpc-1", subnetId: "subnet-1", subnetCidr: "10.0.0.0/24", privateIp: "10.0.0.10" },
    ...{ interfaces: [], tags: {}, rootDevice: "/dev/xvda", blockDevices: [], launchedAt: "" },
    metadata: { httpEndpoint: "enabled", httpTokens: "required", hopLimit: 1, instanceTags: false },
    ...more,
  };
}

function machine(of: InstanceState, more: Partial<MachineState> = {}): MachineState {
  const spec = machineSpecOf(of, SCOPE, NOW);
  return { id: of.id, state: "running", desired: "running", privateIp: of.privateIp, spec, ...more };
}

function volume(more: Partial<VolumeState> = {}): VolumeState {
  return {
    ...{ id: "vol-0a", sizeGiB: 8, type: "gp3", zone: "eu-central-1a", state: "available", encrypted: true },
    ...{ tags: {}, attachments: [] },
    ...more,
  };
}

const attachment = { instanceId: "i-0a", device: "/dev/sdf", state: "attached" };
const held = { machineId: "i-0a", device: "/dev/sdf" };

const balancer: BalancerState = {
  ...{
    arn: "arn:lb",
    name: "lb",
    dnsName: "lb.example",
    type: "network",
    scheme: "internal",
    vpcId: "vpc-1",
  },
  addresses: [{ subnetId: "subnet-1", subnetCidr: "10.0.0.0/24", zone: "eu-central-1a", ip: "10.0.0.5" }],
  listeners: [{ arn: "arn:l", protocol: "TCP", port: 6443, targetGroupArns: ["arn:tg"] }],
  targetGroups: [
    {
      ...{ arn: "arn:tg", name: "tg", protocol: "TCP", port: 6443, targetType: "instance" },
      targets: [{ id: "i-0a", port: 6443, health: "initial" }],
      healthCheck: {
        ...{ enabled: true, protocol: "HTTPS", port: "traffic-port", path: "/readyz" },
        ...{ intervalSeconds: 10, timeoutSeconds: 5, healthyThreshold: 2, unhealthyThreshold: 3 },
      },
    },
  ],
};

interface Case {
  wanted?: Partial<CloudState>;
  seen?: Partial<ActualState>;
  steps: unknown[];
}

const seenVolume: SeenVolume = { id: "vol-0a", sizeGiB: 8, state: "available" };
const attached: SeenVolume = { ...seenVolume, state: "attached", attachment: held };

const CASES: Record<string, Case> = {
  "nothing to do where both are empty": { steps: [] },
  "a pending instance is launched at once": {
    wanted: { instances: [instance({ state: "pending" })] },
    steps: [{ key: "i-0a", do: "launch", spec: machineSpecOf(instance(), SCOPE, NOW) }],
  },
  "an instance whose address is still taken waits, and what holds it ends": {
    wanted: { instances: [instance({ id: "i-0b" }), instance({ state: "terminated" })] },
    seen: { machines: [machine(instance())] },
    steps: [{ key: "i-0a", do: "terminate" }],
  },
  "a machine that nobody knows ends": {
    seen: { machines: [machine(instance())] },
    steps: [{ key: "i-0a", do: "terminate" }],
  },
  "a machine that is as it should be is left alone": {
    wanted: { instances: [instance()] },
    seen: { machines: [machine(instance())] },
    steps: [],
  },
  "a stopping instance's machine stops": {
    wanted: { instances: [instance({ state: "stopping" })] },
    seen: { machines: [machine(instance())] },
    steps: [{ key: "i-0a", do: "stop" }],
  },
  "it is stopped when its machine has switched itself off, and not before": {
    wanted: { instances: [instance({ state: "stopping" })] },
    seen: { machines: [machine(instance(), { state: "stopped", desired: "stopped" })] },
    steps: [{ key: "i-0a", do: "report ended" }],
  },
  "it is stopping for as long as its machine runs": {
    wanted: { instances: [instance({ state: "stopping" })] },
    seen: { machines: [machine(instance(), { state: "running", desired: "stopped" })] },
    steps: [],
  },
  "an instance that stops before it had a machine is stopped": {
    wanted: { instances: [instance({ state: "stopping" })] },
    steps: [{ key: "i-0a", do: "report ended" }],
  },
  "an instance that was stopped before its machine was ever seen has none": {
    wanted: { instances: [instance({ state: "stopped" })] },
    steps: [],
  },
  "an instance that starts again has its machine started": {
    wanted: { instances: [instance({ state: "pending" })] },
    seen: { machines: [machine(instance(), { state: "stopped", desired: "stopped" })] },
    steps: [{ key: "i-0a", do: "start" }],
  },
  "a machine that shut itself down is reported to AWS": {
    wanted: { instances: [instance()] },
    seen: { machines: [machine(instance(), { state: "stopped" })] },
    steps: [{ key: "i-0a", do: "report stopped" }],
  },
  "a machine that lost its power stays down until somebody acts": {
    wanted: { instances: [instance()] },
    seen: { machines: [machine(instance(), { state: "crashed" })] },
    steps: [],
  },
  "new tags reach the machine that runs": {
    wanted: { instances: [instance({ tags: { Name: "b" } })] },
    seen: { machines: [machine(instance())] },
    steps: [{ key: "i-0a", do: "update", changes: { tags: { Name: "b" } } }],
  },
  "a root volume is no volume of its own": {
    wanted: {
      instances: [instance()],
      volumes: [volume({ attachments: [{ ...attachment, device: "/dev/xvda" }] })],
    },
    seen: { machines: [machine(instance())] },
    steps: [],
  },
  "a volume is made, from a snapshot if that was taken here": {
    wanted: {
      volumes: [volume({ snapshotId: "snap-1" }), volume({ id: "vol-0b", snapshotId: "snap-foreign" })],
      snapshots: [{ id: "snap-1", volumeId: "vol-gone" }],
    },
    seen: { snapshots: ["snap-1"] },
    steps: [
      { key: "vol-0a", do: "create volume", sizeGiB: 8, snapshotId: "snap-1" },
      { key: "vol-0b", do: "create volume", sizeGiB: 8 },
    ],
  },
  "an attachment waits for its machine": {
    wanted: { instances: [instance({ state: "stopped" })], volumes: [volume({ attachments: [attachment] })] },
    seen: { volumes: [seenVolume] },
    steps: [],
  },
  "a volume is attached to its machine": {
    wanted: { instances: [instance()], volumes: [volume({ attachments: [attachment] })] },
    seen: { machines: [machine(instance())], volumes: [seenVolume] },
    steps: [{ key: "vol-0a", do: "attach volume", machineId: "i-0a", device: "/dev/sdf" }],
  },
  "a volume that is to be elsewhere is detached first": {
    wanted: {
      instances: [instance(), instance({ id: "i-0b", privateIp: "10.0.0.11" })],
      volumes: [volume({ attachments: [{ ...attachment, instanceId: "i-0b" }] })],
    },
    seen: {
      machines: [machine(instance()), machine(instance({ id: "i-0b", privateIp: "10.0.0.11" }))],
      volumes: [attached],
    },
    steps: [{ key: "vol-0a", do: "detach volume" }],
  },
  "a larger volume grows, a smaller one does not shrink": {
    wanted: { volumes: [volume({ sizeGiB: 9 }), volume({ id: "vol-0b", sizeGiB: 7 })] },
    seen: { volumes: [seenVolume, { ...seenVolume, id: "vol-0b" }] },
    steps: [{ key: "vol-0a", do: "resize volume", sizeGiB: 9 }],
  },
  "a volume that is gone is taken from its machine before it is deleted": {
    wanted: { instances: [instance()] },
    seen: { machines: [machine(instance())], volumes: [attached, { ...seenVolume, id: "vol-0b" }] },
    steps: [
      { key: "vol-0a", do: "detach volume" },
      { key: "vol-0b", do: "delete volume" },
    ],
  },
  "snapshots are taken once and removed": {
    wanted: { volumes: [volume()], snapshots: [{ id: "snap-1", volumeId: "vol-0a" }] },
    seen: { volumes: [seenVolume], snapshots: ["snap-old"] },
    steps: [
      { key: "snap-1", do: "take snapshot", volumeId: "vol-0a" },
      { key: "snap-old", do: "delete snapshot" },
    ],
  },
  "a load balancer is made as declared, its checks in haste": {
    wanted: { balancers: [balancer] },
    steps: [
      {
        key: "arn:lb",
        do: "balance",
        spec: {
          ...{ id: "arn:lb", name: "lb.example" },
          addresses: [{ ip: "10.0.0.5", subnetCidr: "10.0.0.0/24" }],
          listeners: [
            {
              port: 6443,
              healthCheck: {
                ...{ protocol: "https", path: "/readyz", intervalMs: 1000, timeoutMs: 5000 },
                ...{ healthyThreshold: 2, unhealthyThreshold: 3 },
              },
              targets: [{ machineId: "i-0a", port: 6443 }],
            },
          ],
        },
      },
    ],
  },
  "a load balancer that is as it should be is left alone; another kind is none of ours": {
    wanted: { balancers: [balancer, { ...balancer, arn: "arn:alb", type: "application" }] },
    seen: { balancers: [balancerSpecOf(balancer)] },
    steps: [],
  },
  "a load balancer that is gone ends": {
    seen: { balancers: [balancerSpecOf(balancer)] },
    steps: [{ key: "arn:lb", do: "unbalance" }],
  },
};

test.each(Object.entries(CASES))("%s", (_what, { wanted, seen, steps }) => {
  const cloud: CloudState = {
    instances: [],
    volumes: [],
    snapshots: [],
    balancers: [],
    groups: [],
    security: { groups: {}, interfaces: [] },
    routing: { nat: [], publicAddresses: [] },
    ...wanted,
  };
  const here: ActualState = { machines: [], volumes: [], snapshots: [], balancers: [], ...seen };
  expect(planSteps(cloud, here, SCOPE, NOW)).toEqual(steps);
});

test("a role's credentials are renewed before they end", () => {
  const wanted = instance({ instanceProfileArn: "arn:aws:iam::1:instance-profile/p", roleName: "node" });
  const cloud: CloudState = {
    instances: [wanted],
    volumes: [],
    snapshots: [],
    balancers: [],
    groups: [],
    security: { groups: {}, interfaces: [] },
    routing: { nat: [], publicAddresses: [] },
  };
  const here: ActualState = { machines: [machine(wanted)], volumes: [], snapshots: [], balancers: [] };
  const later = (hours: number) => planSteps(cloud, here, SCOPE, NOW + hours * 3600_000);
  expect(later(4.9)).toEqual([]);
  expect(later(5.1)).toMatchObject([
    {
      do: "update",
      changes: { role: { name: "node", credentials: { expiration: "2026-11-16T23:06:00.000Z" } } },
    },
  ]);
});
