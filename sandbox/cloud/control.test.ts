import type { Cloud } from "./cloud";
import { controlHandler } from "./control";

const spec = { zone: "eu-central-1a", tags: { Name: "one" } };
const machine = { id: "i-0a", state: "running", privateIp: "10.0.0.10", spec };
const listen = { side: "inside", host: "127.0.0.1", port: 6443 };

function cloudWith(calls: string[]): Cloud {
  const machineHost = {
    list: async () => [machine],
    crash: async (id: string) => void calls.push(`crash ${id}`),
    reboot: async (id: string) => void calls.push(`reboot ${id}`),
    volumes: { list: async () => [{ id: "vol-0a", sizeGiB: 1, state: "available" }] },
    networkServices: {
      loadBalancers: () => [{ id: "arn:lb", name: "lb", addresses: [], listeners: [{ port: 6443 }] }],
      forwardPort: async ({ id }: { id: string }) => void calls.push(`forward ${id}`),
    },
  };
  return { machineHost, errors: () => [] } as unknown as Cloud;
}

test("the status lists machines, volumes and load balancers", async () => {
  expect(await controlHandler(cloudWith([]))({ method: "GET", path: "/status" })).toEqual({
    machines: [{ id: "i-0a", name: "one", state: "running", privateIp: "10.0.0.10", zone: "eu-central-1a" }],
    volumes: [{ id: "vol-0a", sizeGiB: 1, state: "available" }],
    balancers: [{ name: "lb", ports: [6443] }],
    errors: [],
  });
});

test.each([
  ["PUT", "/port-forwards/api", { listen, target: { ...listen, side: "outside" } }, ["forward api"]],
  ["POST", "/machines/i-0a/crash", undefined, ["crash i-0a"]],
  ["POST", "/machines/i-0a/reboot", undefined, ["reboot i-0a"]],
])("%s %s acts on the machine host", async (method, path, body, expected) => {
  const calls: string[] = [];
  expect(await controlHandler(cloudWith(calls))({ method, path, body })).toEqual({});
  expect(calls).toEqual(expected);
});

test.each([
  ["POST", "/machines/i-0a/explode"],
  ["GET", "/port-forwards/api"],
  ["DELETE", "/machines/i-0a"],
])("there is no %s %s", async (method, path) => {
  expect(await controlHandler(cloudWith([]))({ method, path })).toBeUndefined();
});

test("without machines there is only a status", async () => {
  const handle = controlHandler({ errors: () => [] } as unknown as Cloud);
  expect(await handle({ method: "GET", path: "/status" })).toMatchObject({ machines: [] });
  expect(await handle({ method: "POST", path: "/machines/i-0a/crash" })).toBeUndefined();
});
