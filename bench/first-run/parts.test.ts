import { parseNodes, parsePart, parseProcessorTime } from "./parts";

test.each([
  [
    " ✓ etcd, etcdctl, etcdutl 3.6.5 (1 of 8) (built)                1m05s",
    "etcd, etcdctl, etcdutl 3.6.5",
    65,
  ],
  [" ✓ moto (2 of 8)                                                 42 s", "moto", 42],
  [" ✓ providers (aws, command, tls)                                 1.2 s", "providers", 1.2],
])("%j is a part", (line, title, seconds) => expect(parsePart(line)).toEqual({ title, seconds }));

test.each([
  " • etcd 3.6.5 (1 of 8): building, compiling … 30 s",
  " ✗ etcd 3.6.5 (1 of 8)       3.0 s",
  "Resources: 172 created",
  "",
])("%j is none", (line) => expect(parsePart(line)).toBeUndefined());

test.each([
  ["cluster    https://10.0.0.1\nnodes      6 of 6 Ready\n", { ready: 6, all: 6 }],
  ["  nodes      5 of 6 Ready\n", { ready: 5, all: 6 }],
  ["nothing", undefined],
])("the closing screen %j has the nodes %j", (output, nodes) => expect(parseNodes(output)).toEqual(nodes));

test("waiting for the disk is idle time", () => {
  expect(parseProcessorTime("cpu  100 200 300 400 500 0 0 0 0 0\ncpu0 1 2 3\n")).toEqual({
    busy: 6,
    idle: 9,
  });
});
