import { execFileSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(__dirname, "../..");

test("the reference of the configuration is what Pulumi.yaml and the components say", () => {
  const tsx = path.join(root, "node_modules/.bin/tsx");
  expect(() =>
    execFileSync(tsx, ["docs/generate/index.ts", "--check"], { cwd: root, stdio: "pipe" }),
  ).not.toThrow();
}, 60_000);
