import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { PARTS } from "./parts";
import { joinRules, rolesOf } from "./role";

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

test("a wildcard is refused wherever it stands", () => {
  const plain = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
  for (const wild of [{ apiGroups: ["*"] }, { resources: ["pods/*"] }, { verbs: ["*"] }])
    expect(() => joinRules([{ ...plain, ...wild }])).toThrow(/name what is meant/);
});

test("rules about the same resource become one, and resources with the same verbs too", () => {
  expect(
    joinRules([
      { apiGroups: [""], resources: ["pods"], verbs: ["watch", "get"] },
      { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list", "get", "watch"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
    ]),
  ).toEqual([
    { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["a"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] },
  ]);
});
