import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { NODE_OPTIONS } from "../../controllers/coordinator/node-options";
import { COORDINATOR_IMAGE, packCoordinatorImage } from "./coordinator";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-coordinator-"));
afterAll(() => rm(work, { recursive: true }));

test("the packed image holds the program, runs with nothing but what is in it, and not as root", async () => {
  const archive = path.join(work, "coordinator.tar");
  await packCoordinatorImage(archive);
  const read = (name: string): Buffer => execFileSync("tar", ["-xOf", archive, name], { maxBuffer: 1 << 30 });
  const [entry] = JSON.parse(read("manifest.json").toString()) as [{ Config: string; RepoTags: string[] }];
  expect(entry.RepoTags).toEqual([COORDINATOR_IMAGE]);
  expect(JSON.parse(read(entry.Config).toString())).toMatchObject({
    config: { User: "65532:65532", Entrypoint: ["/usr/bin/node", ...NODE_OPTIONS, "/app/coordinator.js"] },
  });
  const rootfs = path.join(work, "rootfs");
  mkdirSync(rootfs);
  execFileSync("tar", ["-xf", "-", "-C", rootfs], { input: read("layer.tar") });
  const inside = ["--map-root-user", "--root", rootfs, "/usr/bin/node", "/app/coordinator.js", "--help"];
  expect(execFileSync("unshare", inside, { encoding: "utf8" })).toMatch(/^ {2}registries +pull secrets/m);
}, 120_000);

test("the Dockerfile pins its base by digest, and is not for root", () => {
  const text = readFileSync(path.join(__dirname, "../../controllers/coordinator/Dockerfile"), "utf8");
  const bases = text.split("\n").filter((line) => line.startsWith("FROM "));
  expect(bases).toEqual([expect.stringMatching(/@sha256:[0-9a-f]{64}$/)]);
  expect(text).toMatch(/^USER 65532:65532$/m);
  const [, entrypoint = ""] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
  expect(JSON.parse(entrypoint)).toEqual(["/nodejs/bin/node", ...NODE_OPTIONS, "/app/coordinator.js"]);
});
