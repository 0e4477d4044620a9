import { existsSync } from "node:fs";
import {
  argumentsOf,
  COMPONENTS,
  portOf,
  STOP_ORDER,
  type ComponentContext,
  type ComponentName,
} from "./components";
import { renderFlags, type FlagValue } from "./flags";
import { layoutOf } from "./layout";

const ports = { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5, kwok: 6 };
const context: ComponentContext = {
  layout: layoutOf("/dir"),
  ports,
  name: "x",
  durable: true,
  etcdProgram: "/dir/etcd",
};

test.each<[string, Record<string, FlagValue>, string[]]>([
  ["text", { name: "a b" }, ["--name=a b"]],
  ["numbers", { port: 0 }, ["--port=0"]],
  ["switches, on and off", { on: true, off: false }, ["--on=true", "--off=false"]],
  ["lists", { modes: ["Node", "RBAC"] }, ["--modes=Node,RBAC"]],
  ["nothing for what is undefined", { gone: undefined, kept: "" }, ["--kept="]],
])("flags render %s", (_, flags, rendered) => expect(renderFlags(flags)).toEqual(rendered));

test.each(COMPONENTS)("%s listens on loopback only", (component) => {
  const addresses = argumentsOf(component, context).filter((flag) => /address=|urls=/.test(flag));
  const listening = addresses.filter((flag) => !flag.startsWith("--kubelet-preferred"));
  expect(listening.length + (component === "kube-scheduler" ? 1 : 0)).toBeGreaterThan(0);
  for (const flag of listening) expect(flag).toContain("127.0.0.1");
});

test.each(COMPONENTS)("%s gets only files below the directory or of ours", (component) => {
  const paths = argumentsOf(component, context).flatMap((flag) => /=(\/.*)$/.exec(flag)?.[1] ?? []);
  for (const path of paths) expect(path.startsWith("/dir/") || existsSync(path)).toBe(true);
  expect(paths.length).toBeGreaterThan(0);
});

test.each(COMPONENTS)("%s has a port of its own", (component) => {
  // Of the two API servers only one runs.
  const isServer = (name: ComponentName): boolean => name.endsWith("apiserver");
  const others = COMPONENTS.filter(
    (name) => name !== component && !(isServer(name) && isServer(component)),
  ).map((name) => portOf(name, ports));
  expect(others).not.toContain(portOf(component, ports));
  expect(argumentsOf(component, context).join(" ")).toMatch(new RegExp(`[=:]${portOf(component, ports)}\\b`));
});

test("etcd gives up the disk only where nothing shall last", () => {
  const unsafe = "--unsafe-no-fsync=true";
  expect(argumentsOf("etcd", context)).not.toContain(unsafe);
  expect(argumentsOf("etcd", { ...context, durable: false })).toContain(unsafe);
  expect(argumentsOf("hub-apiserver", context)).not.toContain(`--etcd-arg=${unsafe}`);
  expect(argumentsOf("hub-apiserver", { ...context, durable: false })).toContain(`--etcd-arg=${unsafe}`);
});

test("every component is stopped, the store last", () => {
  expect([...STOP_ORDER.flat()].sort()).toEqual([...COMPONENTS].sort());
  expect(STOP_ORDER.at(-1)).toEqual(["etcd"]);
  expect(STOP_ORDER.at(-2)).toEqual(["kube-apiserver", "hub-apiserver"]);
});
