import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

test("the committed CRDs and reference pages are what the kinds say", async () => {
  const root = path.resolve(__dirname, "..");
  const checking = promisify(execFile)(
    process.execPath,
    ["--require", "tsx/cjs", "api/generate.ts", "--check"],
    { cwd: root },
  );
  await expect(checking).resolves.toEqual({ stdout: "", stderr: "" });
}, 120_000);
