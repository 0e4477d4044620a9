import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

test("every generated file is what its sources say", async () => {
  const root = path.resolve(__dirname, "../..");
  const args = ["--require", "tsx/cjs", "scripts/generate/index.ts", "--check"];
  await expect(promisify(execFile)(process.execPath, args, { cwd: root })).resolves.toEqual({
    stdout: "",
    stderr: "",
  });
});
