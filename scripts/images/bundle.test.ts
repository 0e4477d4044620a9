import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundleInto, PROGRAMS } from "./programs";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-bundle-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(PROGRAMS)(
  "the $name has no schemas in it, which would be a quarter of its memory",
  async (program) => {
    const text = await readFile(await bundleInto(folder, program), "utf8");
    expect(text).toContain("fleetwright.dev");
    expect(text).not.toContain("// node_modules/zod/");
  },
);
