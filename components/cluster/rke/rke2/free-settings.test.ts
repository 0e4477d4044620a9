import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { check } from "../../../schema";
import { isForAgents } from "./config-keys";
import { freeFiles, header, proxyExports } from "./free-files";
import {
  type FreeContext,
  freeProblems,
  freeSettings,
  type FreeSettings,
  proxyVariables,
  withFreeKeys,
} from "./free-settings";
import { CONFIG_KEYS } from "../../../../sandbox/machines/rke2/standin/config-keys";
import { checkRkeCluster } from "../problems";
import { Distribution } from "../args";

const schema = z.strictObject(freeSettings);
const settingsOf = (given: object): FreeSettings => schema.parse(given);
const contextOf = (given: object): FreeContext => ({
  free: settingsOf(given),
  networkCidr: "10.0.0.0/16",
  clusterCidr: "10.42.0.0/16",
  serviceCidr: "10.43.0.0/16",
  clusterDomain: "cluster.local",
});

test.each([
  [{ config: { token: "x" } }, "config.token", /the program writes this key; use token.server/],
  [{ config: { "tls-san": ["x"] } }, "config.tls-san", /use api.names/],
  [{ config: { "etcd-snapshot-retention": 5 } }, "config.etcd-snapshot-retention", /use etcdSnapshots/],
  [{ config: { "etcd-s3": true } }, "config.etcd-s3", /use etcdSnapshots/],
  [{ config: { "kubelet-arg+": ["x=1"] } }, 'config["kubelet-arg+"]', /use kubeletArgs/],
  [{ config: { "etcd-arg+": ["x=1"] } }, 'config["etcd-arg+"]', /leave the \+ out/],
  [{ config: { cloudProviderName: "aws" } }, "config.cloudProviderName", /small letters and hyphens/],
  [{ config: { "my-secret-key": "x" } }, "config.my-secret-key", /it is a secret/],
  [
    { config: { "kube-apiserver-arg": ["v=1", "authentication-config=/x"] } },
    "config.kube-apiserver-arg[1]",
    /use identity.oidc/,
  ],
  [{ kubeletArgs: ["max-pods=200", "provider-id=x"] }, "kubeletArgs[1]", /it is the instance's/],
  [{ outboundProxy: {} }, "outboundProxy", /neither http nor https/],
])("%j is refused, and the message says what to use", (given, path, message) => {
  expect(freeProblems(settingsOf(given))).toEqual([
    { path, message: expect.stringMatching(message) as string },
  ]);
});

test.each([
  [{ outboundProxy: { http: "proxy:3128" } }, "outboundProxy.http", /use an address such as/],
  [{ outboundProxy: { https: "http://me:pw@proxy:1" } }, "outboundProxy.https", /leave the account out/],
  [{ outboundProxy: { http: "http://p:1", noProxy: ["a b"] } }, "outboundProxy.noProxy[0]", /use a host/],
  [{ kubeletArgs: ["--max-pods=200"] }, "kubeletArgs[0]", /leave the dashes/],
  [{ systemDefaultRegistry: "https://r.example.com" }, "systemDefaultRegistry", /without https/],
])("the shape of %j is refused", (given, path, message) => {
  const checked = check(schema, given);
  expect(checked).toMatchObject({
    ok: false,
    problems: [{ path, message: expect.stringMatching(message) as string }],
  });
  expect(JSON.stringify(checked)).not.toContain('"message":"found \\"http://me:pw');
});

test("every key of RKE2 is free or has a word of what stands for it, and agents get those that they know", () => {
  for (const [key, { scope, kind }] of Object.entries(CONFIG_KEYS)) {
    const [problem] = freeProblems(settingsOf({ config: { [key]: kind === "list" ? ["a=b"] : "1" } }));
    if (problem === undefined) expect([key, isForAgents(key)]).toEqual([key, scope === "both"]);
    else expect(problem.message).toMatch(/use |it |the |every |nodes |only |Secrets /);
  }
});

test("keys are merged, and lists that both have are joined", () => {
  const free = settingsOf({
    config: { "kube-apiserver-arg": ["v=2"], "etcd-arg": ["quota-backend-bytes=1"], selinux: true },
    kubeletArgs: ["max-pods=200"],
    systemDefaultRegistry: "registry.example.com",
  });
  const own = { profile: "cis", "kube-apiserver-arg": ["audit-log-maxage=30"] };
  expect(withFreeKeys(own, free, "server")).toEqual({
    profile: "cis",
    "kube-apiserver-arg": ["audit-log-maxage=30", "v=2"],
    "etcd-arg": ["quota-backend-bytes=1"],
    selinux: true,
    "system-default-registry": "registry.example.com",
    "kubelet-arg": ["max-pods=200"],
  });
  expect(withFreeKeys({ server: "x" }, free, "agent")).toEqual({
    server: "x",
    selinux: true,
    "system-default-registry": "registry.example.com",
    "kubelet-arg": ["max-pods=200"],
  });
});

test("what is not set leaves a node as it was", () => {
  expect(withFreeKeys({ a: undefined, b: 1 }, settingsOf({}), "server")).toEqual({ b: 1 });
  expect(freeFiles(contextOf({}), "server")).toEqual({});
});

test("one proxy serves both, and nothing of the cluster goes through it", () => {
  const around = contextOf({ outboundProxy: { https: "http://p:1", noProxy: [".example.com"] } });
  const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = proxyVariables(around.free.outboundProxy, around);
  expect([HTTP_PROXY, HTTPS_PROXY]).toEqual(["http://p:1", "http://p:1"]);
  expect(NO_PROXY?.split(",")).toEqual(
    expect.arrayContaining([
      "10.0.0.0/16",
      "10.42.0.0/16",
      "10.43.0.0/16",
      ".svc",
      ".cluster.local",
      "169.254.169.254",
      ".example.com",
    ]),
  );
});

test.each(["server", "agent"] as const)(
  "a %s gets its commands and variables as files that systemd reads",
  (role) => {
    const context = contextOf({
      commands: { before: ["modprobe nbd", "echo it's ready"], after: ["true"] },
      outboundProxy: { http: "http://p:1" },
    });
    const files = freeFiles(context, role);
    expect(files[`/etc/systemd/system/rke2-${role}.service.d/20-commands.conf`]?.content).toMatch(
      /^\[Service\]\nExecStartPre=\/usr\/local\/sbin\/fleetwright-before\nExecStartPost=/,
    );
    expect(files["/usr/local/sbin/fleetwright-before"]).toMatchObject({
      content: expect.stringMatching(
        /^#!\/bin\/bash\nset -euo pipefail\n[^]*\nmodprobe nbd\necho it's ready\n$/,
      ) as string,
      mode: "0700",
    });
    expect(files[`/etc/default/rke2-${role}`]?.content).toMatch(
      /^HTTP_PROXY=http:\/\/p:1\nHTTPS_PROXY=http:\/\/p:1\nNO_PROXY=/,
    );
    expect(header(context, role).split(" ").slice(2, -1)).toEqual(Object.keys(files));
    expect(proxyExports(context)).toContain("export HTTP_PROXY='http://p:1' http_proxy='http://p:1'\n");
  },
);

test("files of settings that are not set any more go before RKE2 starts", () => {
  const work = mkdtempSync(path.join(tmpdir(), "fleetwright-free-"));
  try {
    const all = contextOf({
      commands: { before: ["echo before"], after: ["true"] },
      outboundProxy: { http: "http://p:1" },
    });
    // The same files below a folder of the test's.
    const moved = (text: string): string =>
      text.replaceAll(/(?<=[ '=]|^)\/(etc|usr\/local)\//gm, `${work}/$1/`);
    const place = (files: Record<string, { content: string }>, first: string): void => {
      const config = { "/etc/rancher/rke2/config.yaml": { content: `${first}token: x\n` } };
      for (const [name, { content }] of Object.entries({ ...files, ...config })) {
        mkdirSync(path.dirname(moved(name)), { recursive: true });
        writeFileSync(moved(name), moved(content), { mode: 0o755 });
      }
    };
    const start = (): string =>
      execFileSync("bash", [moved("/usr/local/sbin/fleetwright-before")], {
        encoding: "utf8",
        env: { PATH: `${work}:${process.env.PATH ?? ""}` },
      });
    const left = (): boolean[] =>
      Object.keys(freeFiles(all, "server")).map((name) => existsSync(moved(name)));
    writeFileSync(path.join(work, "systemctl"), "#!/bin/sh\n", { mode: 0o755 });
    place(freeFiles(all, "server"), header(all, "server"));
    expect([start(), left()]).toEqual(["before\n", [true, true, true, true]]);
    const fewer = contextOf({ commands: { before: ["echo before"] } });
    place(freeFiles(fewer, "server"), header(fewer, "server"));
    expect([start(), left()]).toEqual(["before\n", [false, true, false, true]]);
    place({}, header(contextOf({}), "server"));
    expect([start(), left()]).toEqual(["", [false, false, false, false]]);
  } finally {
    rmSync(work, { recursive: true });
  }
});

test("RKE, which has no such file, refuses them all", () => {
  const checked = checkRkeCluster("main", {
    distribution: Distribution.Rke,
    version: "v1.32.7-rancher1-1",
    network: {
      vpcId: "vpc",
      cidr: "10.0.0.0/16",
      privateSubnets: ["a", "b", "c"].map((zone) => ({ id: zone, zone })),
    },
    login: { privateKey: "PRIVATE KEY" },
    config: { debug: true },
    commands: { before: ["true"] },
  });
  expect(checked).toMatchObject({
    problems: [
      { path: "config", message: "not used with kind rke: remove it, or change kind" },
      { path: "commands" },
    ],
  });
});
