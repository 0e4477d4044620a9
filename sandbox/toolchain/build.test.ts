import { ExitCode } from "../../lib/failure";
import { buildArguments, buildEnvironment, explainBuild, programName } from "./build";
import { TOOLS } from "./tools";

test("a build is stripped, has no paths of the machine in it, and may not change go.sum", () => {
  expect(buildArguments([TOOLS.etcd], "/out/etcd", 2)).toEqual([
    "build",
    "-v",
    "-p",
    "2",
    "-mod=readonly",
    "-trimpath",
    "-buildvcs=false",
    "-gcflags=all=-dwarf=false",
    "-ldflags",
    "-s -w",
    "-o",
    "/out/etcd",
    "go.etcd.io/etcd/server/v3",
  ]);
});

test("several programs of a module are built at once", () => {
  const built = buildArguments([TOOLS.etcd, TOOLS.etcdctl], "/out/", 2);
  expect(built.slice(-3)).toEqual(["/out/", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/etcdctl/v3"]);
});

test.each([
  ["go.etcd.io/etcd/server/v3", "server"],
  ["k8s.io/kubernetes/cmd/kube-apiserver", "kube-apiserver"],
])("Go calls the program of %s %s", (goPackage, name) => expect(programName(goPackage)).toBe(name));

test("linker variables carry the version", () => {
  expect(buildArguments([TOOLS.kubectl], "k", 2)[9]).toMatch(
    /-X k8s\.io\/component-base\/version\.gitVersion=v1\.35\.4/,
  );
});

test("settings of the user do not reach the build", () => {
  expect(buildEnvironment({ GOFLAGS: "-mod=mod", GOPROXY: "https://proxy.example" })).toMatchObject({
    GOFLAGS: "",
    GOWORK: "off",
    CGO_ENABLED: "0",
    GOPROXY: "https://proxy.example",
  });
});

test("the compilers' garbage collector is set", () => {
  const collector = { GOGC: "off", GOMEMLIMIT: "2048MiB" };
  expect(buildEnvironment({ GOGC: "50" }, collector)).toMatchObject(collector);
});

test.each([
  ["write /x/y.a: no space left on device", /the disk is full/, ExitCode.diskFull],
  [
    "verifying example.com/a@v1.0.0: checksum mismatch\n\tdownloaded: h1:x\n\tgo.sum: h1:y\n\nSECURITY ERROR",
    /differs from the checksum in go\.sum/,
    ExitCode.integrity,
  ],
  [
    "missing go.sum entry for module providing package x",
    /differs from the checksum in go\.sum/,
    ExitCode.integrity,
  ],
  [
    "go: example.com/a@v9.9.9: invalid version: unknown revision v9.9.9",
    /does not have that version/,
    ExitCode.failed,
  ],
  [
    'Get "https://proxy.example/x": dial tcp: lookup proxy.example: no such host',
    /cannot be reached/,
    ExitCode.network,
  ],
  ["./main.go:3:1: syntax error", /`go build` failed/, ExitCode.failed],
])("%j is explained", (said, sentence, code) => {
  const error = explainBuild("tool", ["build"], `go: downloading a v1\n${said}\n`, "/logs/tool.log");
  expect(error.message).toMatch(sentence);
  expect(error.message).toContain("/logs/tool.log");
  expect(error.message).not.toContain("downloading");
  expect(error.exitCode).toBe(code);
});
