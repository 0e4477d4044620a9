import { execFileSync } from "node:child_process";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");

/** Lints one line as if it stood in `file`, with the project's own configuration. */
function lint(cases: readonly (readonly [file: string, code: string])[]): string[][] {
  const script = `
    import { ESLint } from "eslint";
    const eslint = new ESLint({ cwd: ${JSON.stringify(ROOT)}, overrideConfigFile: true, overrideConfig: [{
      files: ["**/*.ts", "**/*.js", "**/*.mjs"],
      languageOptions: { parser: (await import("typescript-eslint")).parser },
      plugins: { fleetwright: { rules: { "import-boundaries": (await import("./scripts/lint/import-boundaries.mjs")).importBoundaries } } },
      rules: { "fleetwright/import-boundaries": "error" },
    }] });
    const out = [];
    for (const [file, code] of ${JSON.stringify(cases)}) {
      const [result] = await eslint.lintText(code, { filePath: ${JSON.stringify(ROOT)} + "/" + file });
      out.push(result.messages.map((message) => message.message));
    }
    console.log(JSON.stringify(out));
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return JSON.parse(output) as string[][];
}

const FORBIDDEN = [
  ["components/cluster/network.ts", 'import { KubeConfig } from "@kubernetes/client-node";'],
  ["components/cluster/network.ts", 'import { EC2Client } from "@aws-sdk/client-ec2";'],
  ["components/cluster/network.ts", 'import https from "node:https";'],
  ["components/cluster/network.ts", 'import { x } from "../../sandbox/machines";'],
  ["components/cluster/network.ts", 'export * from "../../sandbox/machines";'],
  ["components/cluster/network.ts", 'export { x } from "../../sandbox";'],
  ["controllers/coordinator/main.ts", 'import * as pulumi from "@pulumi/pulumi";'],
  ["controllers/coordinator/main.ts", 'const pulumi = await import("@pulumi/pulumi");'],
  ["controllers/coordinator/main.ts", 'import type { Output } from "@pulumi/pulumi";'],
  ["controllers/coordinator/main.ts", 'let x: import("@pulumi/pulumi").Output<string>;'],
  ["controllers/coordinator/main.ts", 'const x = require("../../sandbox/process");'],
  ["policy/aws/index.ts", 'import { x } from "../../sandbox/aws";'],
  ["policy/aws/index.ts", 'import { x } from "../../components/cluster/versions";'],
  ["components/agent/agent.ts", 'import { x } from "../../controllers/agent";'],
  ["components/agent/agent.ts", 'import x from "left-pad";'],
  ["controllers/agent/main.ts", 'import { x } from "../../lib/process";'],
  ["controllers/agent/main.ts", 'import { x } from "../coordinator/kinds";'],
  ["controllers/coordinator/main.ts", 'import { x } from "../agent/kinds";'],
  ["controllers/hub/pins/share.ts", 'import { x } from "../../coordinator/kinds";'],
  ["controllers/syncer/main.ts", 'import { x } from "../hub/kinds";'],
  ["controllers/app/run.ts", 'import { x } from "../coordinator/kinds";'],
  ["lib/json.ts", 'import { x } from "../sandbox/controlplane";'],
  ["lib/json.ts", 'import { z } from "zod";'],
  ["config.ts", 'import { x } from "./sandbox/json";'],
  ["sandbox/cli.ts", 'import { x } from "../components/cluster";'],
  ["index.ts", 'import { x } from "./sandbox/controlplane";'],
  ["run.js", 'require("./sandbox/cli");'],
  ["lib/sdk-patches/index.js", 'require("../../sandbox/process");'],
  ["lib/sdk-patches/index.mjs", 'import x from "left-pad";'],
  ["api/user.ts", 'import { x } from "../../components/addons";'],
  ["api/user.ts", 'import x = require("../../controllers/runtime");'],
] as const;

const ALLOWED = [
  ["components/cluster/network.ts", 'import * as aws from "@pulumi/aws";'],
  ["components/addons/users.ts", 'import { user } from "../../api/user";'],
  ["components/cluster/cluster.test.ts", 'import { startControlPlane } from "../../sandbox/controlplane";'],
  ["controllers/runtime/cache.ts", 'import { KubeConfig } from "@kubernetes/client-node";'],
  ["controllers/coordinator/main.ts", 'import { user } from "../../api/user";'],
  ["controllers/coordinator/main.ts", 'import { x } from "../app/status";'],
  ["controllers/hub/push/controller.ts", 'import { x } from "../../syncer/syncer";'],
  ["test/harness/setup.ts", 'import { startControlPlane } from "../../sandbox/controlplane";'],
  ["sandbox/cli.ts", 'import https from "node:https";'],
  ["components/cluster/testing/graph.ts", 'import { x } from "../../../sandbox/json";'],
  ["index.ts", 'import { readConfig } from "./config";'],
  ["api/user.ts", 'import { z } from "zod"; import { x } from "./name";'],
] as const;

test("each folder may import what its row allows, and nothing else", () => {
  const results = lint([...FORBIDDEN, ...ALLOWED]);
  FORBIDDEN.forEach(([file, code], index) => {
    expect([file, code, results[index]?.length]).toEqual([file, code, 1]);
    expect(results[index]?.[0]).toMatch(/ may not import /);
  });
  ALLOWED.forEach(([file, code], index) => {
    expect([file, code, results[FORBIDDEN.length + index]]).toEqual([file, code, []]);
  });
});

test.each(["index.ts", "run.js", "scripts/lint/import-boundaries.mjs"])(
  "the project's own lint has the rule on for %s",
  (file) => {
    const config = JSON.parse(
      execFileSync("npx", ["eslint", "--print-config", file], { cwd: ROOT, encoding: "utf8" }),
    ) as { rules: Record<string, unknown> };
    expect(config.rules["fleetwright/import-boundaries"]).toEqual([2]);
  },
);

test("every folder and every source file of the root has a row", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
  const sources = tracked.filter(
    (file) => /\.(ts|js|mjs)$/.test(file) && !/^(jest\.|eslint\.)|\.test\.ts$/.test(file),
  );
  const rows = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      'console.log(Object.keys((await import("./scripts/lint/import-boundaries.mjs")).ALLOWED).join("\\n"))',
    ],
    { cwd: ROOT, encoding: "utf8" },
  ).split("\n");
  const without = [...new Set(sources.map((file) => file.split("/")[0] ?? ""))].filter(
    (first) => !rows.includes(first),
  );
  expect(without).toEqual([]);
});
