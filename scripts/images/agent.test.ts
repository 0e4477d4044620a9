import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { METRICS_PORT, NODE_OPTIONS } from "../../api/agent-pod-requirements";
import { AGENT_IMAGE, packAgentImage } from "./agent";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-agent-"));
afterAll(() => rm(work, { recursive: true }));

test("the packed image holds the program and runs with nothing but what is in it", async () => {
  const archive = path.join(work, "agent.tar");
  await packAgentImage(archive);
  const read = (name: string): Buffer => execFileSync("tar", ["-xOf", archive, name], { maxBuffer: 1 << 30 });
  const [entry] = JSON.parse(read("manifest.json").toString()) as [{ Config: string; RepoTags: string[] }];
  expect(entry.RepoTags).toEqual([AGENT_IMAGE]);
  const { config } = JSON.parse(read(entry.Config).toString()) as { config: Record<string, unknown> };
  expect(config).toMatchObject({
    User: "0:0",
    Entrypoint: ["/usr/bin/node", ...NODE_OPTIONS, "/app/agent.js"],
  });
  const rootfs = path.join(work, "rootfs");
  mkdirSync(rootfs);
  execFileSync("tar", ["-xf", "-", "-C", rootfs], { input: read("layer.tar") });
  const inside = ["--map-root-user", "--root", rootfs, "/usr/bin/node", "/app/agent.js", "--help"];
  expect(execFileSync("unshare", inside, { encoding: "utf8" })).toMatch(/^ {2}users +accounts on the node/m);
}, 120_000);

test("the Dockerfile pins its base by digest, and starts Node as the packed image does", () => {
  const text = readFileSync(path.join(__dirname, "../../controllers/agent/Dockerfile"), "utf8");
  const bases = text.split("\n").filter((line) => line.startsWith("FROM "));
  expect(bases).toEqual([expect.stringMatching(/@sha256:[0-9a-f]{64}$/)]);
  const [, entrypoint = ""] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
  expect(JSON.parse(entrypoint)).toEqual(["/nodejs/bin/node", ...NODE_OPTIONS, "/app/agent.js"]);
  expect(text).toContain(`EXPOSE ${METRICS_PORT}`);
});

test("the bundle has neither the client library nor the schemas, which are most of the memory", async () => {
  const bundle = execFileSync("tar", ["-xOf", path.join(work, "agent.tar"), "layer.tar"], {
    maxBuffer: 1 << 30,
  });
  const program = execFileSync("tar", ["-xOf", "-", "./app/agent.js"], { input: bundle, maxBuffer: 1 << 28 });
  expect(program.toString()).not.toMatch(/node_modules\/(zod|@kubernetes)/);
});
