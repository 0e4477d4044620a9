import type { CloudState } from "../aws";
import type { TargetHealth } from "../machines";
import { healthReports } from "./target-health";

function cloud(health: string, targetType = "instance"): CloudState {
  const id = targetType === "ip" ? "10.0.0.10" : "i-0a";
  return {
    instances: [{ id: "i-0a", privateIp: "10.0.0.10" } as CloudState["instances"][number]],
    ...{
      volumes: [],
      snapshots: [],
      groups: [],
      security: { groups: {}, interfaces: [] },
      routing: { nat: [], publicAddresses: [] },
    },
    balancers: [
      {
        arn: "arn:lb",
        listeners: [{ arn: "arn:l", protocol: "TCP", port: 6443, targetGroupArns: ["arn:tg"] }],
        targetGroups: [{ arn: "arn:tg", targetType, targets: [{ id, port: 6443, health }] }],
      } as unknown as CloudState["balancers"][number],
    ],
  };
}

const found = (health: TargetHealth["health"], more: Partial<TargetHealth> = {}): TargetHealth[] => [
  { loadBalancer: "arn:lb", listenerPort: 6443, ip: "10.0.0.10", port: 6443, health, ...more },
];

test.each([
  ["what AWS says already is not said again", cloud("healthy"), found("healthy"), []],
  ["a machine that does not answer is unhealthy", cloud("healthy"), found("unhealthy"), ["unhealthy"]],
  ["a target that was not checked yet is not healthy", cloud("healthy"), found("initial"), ["initial"]],
  ["a target by its address is found too", cloud("initial", "ip"), found("healthy"), ["healthy"]],
  [
    "another load balancer's check says nothing",
    cloud("initial"),
    found("healthy", { loadBalancer: "x" }),
    [],
  ],
  ["another port's check says nothing", cloud("initial"), found("healthy", { port: 1 }), []],
])("%s", (_what, state, checks, reports) => {
  expect(healthReports(state, checks).map(({ health }) => health.state)).toEqual(reports);
});
