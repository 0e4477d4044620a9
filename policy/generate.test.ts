import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

test("the committed list of policies is what the policies say", async () => {
  const root = path.resolve(__dirname, "..");
  const checking = promisify(execFile)(
    process.execPath,
    ["--require", "tsx/cjs", "policy/generate.ts", "--check"],
    { cwd: root },
  );
  await expect(checking).resolves.toEqual({ stdout: "", stderr: "" });
}, 120_000);
