import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { PARTS } from "./parts";
import { rolesOf } from "./role";

test("the committed role is what the parts declare", async () => {
  const root = path.resolve(__dirname, "../..");
  const args = ["--require", "tsx/cjs", "controllers/coordinator/generate.ts", "--check"];
  await expect(promisify(execFile)(process.execPath, args, { cwd: root })).resolves.toEqual({
    stdout: "",
    stderr: "",
  });
}, 120_000);

test("no rule of any part has a wildcard", () => {
  expect(JSON.stringify(rolesOf(PARTS, "x").map(({ rules }) => rules))).not.toContain("*");
});
