import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { NODE_OPTIONS as AGENT_OPTIONS } from "../../api/agent-pod-requirements";
import { NODE_OPTIONS as COORDINATOR_OPTIONS } from "../../controllers/coordinator/node-options";
import { IMAGE_NODE } from "../../sandbox/node-release";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-images-test-"));
const root = path.join(__dirname, "..", "..");

beforeAll(() => {
  const args = ["--require", "tsx/cjs", "scripts/images/cli.ts", "build", "--out", work, "--tag", "1.2.3"];
  execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
}, 300_000);
afterAll(() => rm(work, { recursive: true }));

describe.each([
  {
    name: "coordinator",
    user: "65532:65532",
    options: COORDINATOR_OPTIONS,
    help: /^ {2}registries +pull secrets/m,
  },
  { name: "agent", user: "0:0", options: AGENT_OPTIONS, help: /^ {2}users +accounts on the node/m },
])("the image of the $name", ({ name, user, options, help }) => {
  const read = (file: string): Buffer => {
    const archive = path.join(work, `fleetwright-${name}.tar`);
    return execFileSync("tar", ["-xOf", archive, file], { maxBuffer: 1 << 30 });
  };
  const rootfs = path.join(work, name);
  const inside = (...args: string[]): string =>
    execFileSync("unshare", ["--map-root-user", "--root", rootfs, "/usr/bin/node", ...args], {
      encoding: "utf8",
    });
  beforeAll(() => {
    mkdirSync(rootfs);
    execFileSync("tar", ["-xf", "-", "-C", rootfs], { input: read("layer.tar") });
  });

  test("has the name and tag that were asked for, its user and how Node is started", () => {
    const [entry] = JSON.parse(read("manifest.json").toString()) as [{ Config: string; RepoTags: string[] }];
    expect(entry.RepoTags).toEqual([`fleetwright-${name}:1.2.3`]);
    expect(JSON.parse(read(entry.Config).toString())).toMatchObject({
      config: { User: user, Entrypoint: ["/usr/bin/node", ...options, `/app/${name}.js`] },
    });
  });

  test("runs with nothing but what is in it, on the newest long-term release of Node", () => {
    expect(inside("--version")).toBe(`v${IMAGE_NODE.version}\n`);
    expect(inside(...options, `/app/${name}.js`, "--help")).toMatch(help);
  });
});

test("the agent's bundle has neither the client library nor the schemas, which are most of the memory", () => {
  const bundle = execFileSync("cat", [path.join(work, "agent", "app", "agent.js")], { maxBuffer: 1 << 28 });
  expect(bundle.toString()).not.toMatch(/node_modules\/(zod|@kubernetes)/);
});
