import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { silentProgress } from "../../lib/progress";
import { raiseLimits } from "./kernel-limits";

test("limits that are too low are raised, and each raise is reported; higher ones stay", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-limits-"));
  const said: string[] = [];
  try {
    await writeFile(path.join(folder, "low"), "128\n");
    await writeFile(path.join(folder, "high"), "9000\n");
    const limits = { low: 8192, high: 8192, missing: 1 };
    await raiseLimits({ ...silentProgress, note: (line) => said.push(line) }, { folder, limits });
    expect(await readFile(path.join(folder, "low"), "utf8")).toBe("8192");
    expect(await readFile(path.join(folder, "high"), "utf8")).toBe("9000\n");
    expect(said).toEqual([" • raised the kernel's low from 128 to 8192, until the next boot"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
