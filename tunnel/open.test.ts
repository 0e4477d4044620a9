import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitFor } from "../lib/deadline";
import { freePort } from "../lib/port";
import { logOf, openTunnel } from "./open";

test("what a tunnel that breaks has to say is in its log, which the error names", async () => {
  const bastion = { host: "127.0.0.1", port: 1, user: "fw-tunnel", hostKey: "", privateKey: "" };
  const target = { host: "127.0.0.1", port: 1 };
  const settings = { identity: "acme/test/main", localPort: await freePort(), bastion, target };
  const root = mkdtempSync(path.join(tmpdir(), "fleetwright-tunnel-"));
  try {
    writeFileSync(path.join(root, "run.js"), 'throw new Error("out of order");\n');
    const log = logOf(root, settings);
    await expect(openTunnel(settings, "127.0.0.1:1", root)).rejects.toThrow(
      `did not start: it ended with exit code 1. Its log is ${log}.`,
    );
    expect(readFileSync(log, "utf8")).toContain("out of order");
    writeFileSync(
      path.join(root, "run.js"),
      'process.stdout.write("ready\\n", () => setImmediate(() => { throw new Error("broken later"); }));\n',
    );
    await openTunnel(settings, "127.0.0.1:1", root);
    await waitFor("the log", () => readFileSync(log, "utf8").includes("broken later"), { timeoutMs: 30_000 });
    expect(statSync(log).mode & 0o777).toBe(0o600);
  } finally {
    rmSync(root, { recursive: true });
  }
});
