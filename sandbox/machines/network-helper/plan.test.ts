import { outsidePlan, insidePlan } from "./plan";
import { emptyRecord } from "../record";
import { machineSpecFixture } from "../testing/machine-spec";

test("a port-forward between the networks is two relays with a socket file between them", () => {
  const record = emptyRecord();
  record.forwards.api = {
    id: "api",
    listen: { side: "inside", host: "10.0.1.1", port: 6443 },
    target: { side: "outside", host: "127.0.0.1", port: 14000 },
  };
  const middle = { path: "/run/x/forward-api.sock" };
  expect(insidePlan(record, "/run/x").relays).toEqual([
    { id: "api", listen: { host: "10.0.1.1", port: 6443 }, target: middle },
  ]);
  expect(outsidePlan(record, "/run/x").relays).toEqual([
    { id: "api", listen: middle, target: { host: "127.0.0.1", port: 14000 } },
  ]);
});

test("targets are machines by id or plain addresses; one on a machine that is gone is left out", () => {
  const record = emptyRecord();
  record.machines["i-0a1"] = { spec: machineSpecFixture(), desired: "running" };
  const healthCheck = {
    protocol: "tcp" as const,
    intervalMs: 1000,
    healthyThreshold: 2,
    unhealthyThreshold: 2,
  };
  record.loadBalancers.lb = {
    id: "lb",
    addresses: [{ ip: "10.0.1.200", subnetCidr: "10.0.1.0/24" }],
    listeners: [
      {
        port: 80,
        healthCheck,
        targets: [
          { machineId: "i-0a1", port: 1 },
          { machineId: "i-0gone", port: 2 },
          { ip: "10.0.9.9", port: 3 },
        ],
      },
    ],
  };
  expect(insidePlan(record, "/run/x").listeners[0]?.targets).toEqual([
    { ip: "10.0.1.10", port: 1 },
    { ip: "10.0.9.9", port: 3 },
  ]);
});
