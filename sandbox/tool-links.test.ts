import { mkdtemp, readFile, readlink, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sandboxLayout, type SandboxLayout } from "./layout";
import { linkTools, wrapperScript, writeWrapperScripts } from "./tool-links";

let project: string;
let layout: SandboxLayout;
const tool = (name: string) => ({ name, version: "1.2.3", path: `/cache/${name}`, origin: "cache" as const });
const tools = { pulumi: tool("pulumi"), "pulumi-language-nodejs": tool("pulumi-language-nodejs") };

beforeEach(async () => {
  project = await mkdtemp(path.join(os.tmpdir(), "fleetwright-tool-links-"));
  layout = sandboxLayout(project, "blue");
});
afterEach(() => rm(project, { recursive: true, force: true }));

test("programs are linked for a shell, plugins for the engine", async () => {
  await linkTools(layout, tools);
  expect(await readlink(path.join(layout.bin, "pulumi"))).toBe("/cache/pulumi");
  const plugin = path.join(layout.pulumiHome, "plugins/language-nodejs-v1.2.3/pulumi-language-nodejs");
  expect(await readlink(plugin)).toBe("/cache/pulumi-language-nodejs");
});

test("wrapper scripts are not replaced by links, and follow the network when it comes", async () => {
  await linkTools(layout, tools);
  await writeWrapperScripts(layout, tools, undefined);
  await linkTools(layout, tools);
  const script = (): Promise<string> => readFile(path.join(layout.bin, "pulumi"), "utf8");
  expect(await script()).toBe(wrapperScript(undefined, "/cache/pulumi"));
  await writeWrapperScripts(layout, tools, "fw-1");
  expect(await script()).toContain('exec ip netns exec fw-1 /cache/pulumi "$@"');
});
