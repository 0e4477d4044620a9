import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { PARTS } from "./parts";
import { rolesOf } from "./role";

test("the committed role is what the parts declare", async () => {
  const root = path.resolve(__dirname, "../..");
  const args = ["--require", "tsx/cjs", "controllers/agent/generate.ts", "--check"];
  await expect(promisify(execFile)(process.execPath, args, { cwd: root })).resolves.toEqual({
    stdout: "",
    stderr: "",
  });
}, 120_000);

test("the agent may not read secrets, nor delete or create anything but events", () => {
  const [{ rules }] = rolesOf(PARTS) as [ReturnType<typeof rolesOf>[number]];
  expect(JSON.stringify(rules)).not.toContain("*");
  expect(rules.flatMap(({ resources }) => resources)).not.toContain("secrets");
  const makes = rules.filter(({ verbs }) =>
    verbs.some((verb) => ["create", "update", "delete"].includes(verb)),
  );
  expect(makes.flatMap(({ resources }) => resources)).toEqual(["events"]);
});
