import { execFileSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(__dirname, "../..");

test("the generated pages of the reference are what the sources say", () => {
  const tsx = path.join(root, "node_modules/.bin/tsx");
  expect(() =>
    execFileSync(tsx, ["docs/generate/index.ts", "--check"], { cwd: root, stdio: "pipe" }),
  ).not.toThrow();
}, 60_000);
