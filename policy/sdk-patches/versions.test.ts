import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");
/** Files in the folders of patches that are no patches themselves. */
const OTHERS = ["index.js", "server-hook.ts"];

const patches = ["policy/sdk-patches", "lib/sdk-patches"].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith(".test.ts") && !OTHERS.includes(file))
    .map((file) => path.join(folder, file)),
);

describe.each(patches)("%s", (patch) => {
  const text = readFileSync(path.join(ROOT, patch), "utf8");

  it("says its reason, and was made for the installed versions", () => {
    expect(text).toMatch(/\* Reason: \S/);
    const [, madeFor = ""] = /\* Made for: (.*)/.exec(text) ?? [];
    const versions = [...madeFor.matchAll(/(@pulumi\/\w+) ([\d.]+\d)/g)];
    expect(versions.length).toBeGreaterThan(0);
    for (const [, name = "", version] of versions) {
      const manifest = readFileSync(path.join(ROOT, "node_modules", name, "package.json"), "utf8");
      // After an upgrade: check that the patch is still needed and works, then write the new version into it.
      expect([name, (JSON.parse(manifest) as { version: string }).version.replace(/^v/, "")]).toEqual([
        name,
        version,
      ]);
    }
  });

  it("has a test", () => {
    const own = patch.replace(/(-rpc)?\.(ts|js)$/, ".test.ts");
    const shared = path.join(path.dirname(patch), "sdk-patches.test.ts");
    expect([own, shared].some((file) => existsSync(path.join(ROOT, file)))).toBe(true);
  });
});
