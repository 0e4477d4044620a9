import { NETWORKS, portRules, rkePortRules } from "./ports";

const lines = (cni: string): string[] =>
  portRules(cni).map(({ to, from, protocol, first, last }) => `${from} > ${to} ${protocol} ${first}-${last}`);

it("opens exactly what RKE2 with canal needs", () => {
  expect(lines("canal").sort()).toEqual(
    [
      "agents > servers tcp 6443-6443",
      "servers > servers tcp 6443-6443",
      "balancer > servers tcp 6443-6443",
      "agents > servers tcp 9345-9345",
      "servers > servers tcp 9345-9345",
      "balancer > servers tcp 9345-9345",
      "agents > balancer tcp 6443-6443",
      "servers > balancer tcp 6443-6443",
      "agents > balancer tcp 9345-9345",
      "servers > balancer tcp 9345-9345",
      "servers > servers tcp 2379-2380",
      ...["agents > agents", "agents > servers", "servers > agents", "servers > servers"].flatMap((who) => [
        `${who} tcp 10250-10250`,
        `${who} udp 8472-8472`,
        `${who} tcp 9808-9808`,
      ]),
    ].sort(),
  );
});

it("opens more ports for metrics between nodes, and none a second time", () => {
  const more = portRules("canal", [9100, 9808, 10250, 9100]).slice(portRules("canal").length);
  expect(more.map(({ to, from, first, last }) => `${from} > ${to} ${first}-${last}`).sort()).toEqual([
    "agents > agents 9100-9100",
    "agents > servers 9100-9100",
    "servers > agents 9100-9100",
    "servers > servers 9100-9100",
  ]);
});

it.each(Object.keys(NETWORKS))("lets agents never reach etcd, with %s", (cni) => {
  const etcd = portRules(cni).filter(
    ({ first, last, protocol }) => protocol === "tcp" && first <= 2380 && last >= 2379,
  );
  expect(etcd.map(({ from, to }) => [from, to])).toEqual([["servers", "servers"]]);
});

it.each(Object.keys(NETWORKS))("says no rule twice, with %s", (cni) => {
  expect(new Set(lines(cni)).size).toBe(lines(cni).length);
});

it("lets the runner of RKE log in and use the API, and opens no port for registration", () => {
  const rules = rkePortRules(22);
  expect(rules.some(({ first }) => first === 9345)).toBe(false);
  expect(rules.filter(({ from }) => from === "runner").map(({ to, first }) => `${to} ${first}`)).toEqual([
    "servers 22",
    "agents 22",
    "servers 6443",
    "balancer 6443",
  ]);
  expect(rules.filter(({ first }) => first === 22)).toHaveLength(2);
});
