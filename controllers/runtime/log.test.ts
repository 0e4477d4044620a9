import { Logger, type Level } from "./log";

function record(level?: Level): { log: Logger; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const log = new Logger({ write: (line) => written.push(line), ...(level === undefined ? {} : { level }) });
  return { log, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("a line is one JSON object with the fields of its logger", () => {
  const { log, lines } = record();
  log.with({ controller: "c" }).info("said\nso", { key: "k" });
  expect(lines()).toMatchObject([{ level: "info", message: "said\nso", controller: "c", key: "k" }]);
});

test("lines below the level are left out", () => {
  const { log, lines } = record("warn");
  log.info("no");
  log.warn("yes");
  expect(lines()).toHaveLength(1);
});

test("secrets are left out, and what cannot be printed does not fail", () => {
  const { log, lines } = record();
  const circle: Record<string, unknown> = { big: 5n };
  circle.self = circle;
  log.error("x", {
    circle,
    headers: { authorization: "Bearer abc" },
    error: new Error("why"),
    clientSecret: "s3cr3t",
  });
  expect(JSON.stringify(lines())).not.toMatch(/abc|s3cr3t/);
  expect(lines()[0]).toMatchObject({ error: { message: "why" }, circle: { big: "5" } });
});
