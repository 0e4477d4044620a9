import { significantLines } from "./significant-lines";

test.each<[string, string[], string[]]>([
  [
    "klog's errors",
    ["I1116 02:53:39.1 1 a.go:1] fine", "E1116 02:53:39.2 1 b.go:1] bad", "I1116 02:53:39.3 1 c.go:1] end"],
    ["E1116 02:53:39.2 1 b.go:1] bad"],
  ],
  [
    "etcd's errors",
    ['{"level":"warn","msg":"w"}', '{"level":"fatal","msg":"f"}'],
    ['{"level":"fatal","msg":"f"}'],
  ],
  [
    "kwok's errors",
    ['{"level":"INFO","msg":"i"}', '{"level":"ERROR","msg":"e"}'],
    ['{"level":"ERROR","msg":"e"}'],
  ],
  ["a refused command line", ["Error: unknown flag: --x", "Usage:", "  etcd"], ["Error: unknown flag: --x"]],
  [
    "a missing program",
    ["setpriv: failed to execute x: No such file"],
    ["setpriv: failed to execute x: No such file"],
  ],
  ["the last lines where none is an error", ["one", "", "two", "three", "four"], ["two", "three", "four"]],
  ["nothing of nothing", [], []],
])("a log is cut down to %s", (_, lines, kept) =>
  expect(significantLines(lines.join("\n"), 3)).toEqual(kept),
);

test("endless lines are cut", () => {
  expect(significantLines(`error: ${"x".repeat(5000)}`, 1)[0]?.length).toBeLessThan(410);
});
