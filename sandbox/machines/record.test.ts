import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { emptyRecord, hasHostRecord, readHostRecord, writeHostRecord } from "./record";

let dir: string;
beforeEach(() => (dir = mkdtempSync(path.join(os.tmpdir(), "fleetwright-record-"))));
afterEach(() => rm(dir, { recursive: true }));

const helper = { pid: 7, started: "boot:1" };
const volumes = { "vol-0a": { spec: { id: "vol-0a", sizeGiB: 1 } } };

test("a new folder has an empty record; what is written is read back", async () => {
  expect(hasHostRecord(dir)).toBe(false);
  expect(await readHostRecord(dir)).toEqual(emptyRecord());
  writeHostRecord(dir, { ...emptyRecord(), insideHelper: helper, volumes });
  expect(hasHostRecord(dir)).toBe(true);
  expect(await readHostRecord(dir)).toEqual({ ...emptyRecord(), insideHelper: helper, volumes });
});

test("a record from before November 2026 is converted: volumes are kept, helpers are to be restarted", async () => {
  const earlier = path.join(dir, "hall.json");
  writeFileSync(
    earlier,
    JSON.stringify({ ...emptyRecord(), lifetime: "detached", hub: helper, gate: helper, volumes }),
  );
  expect(hasHostRecord(dir)).toBe(true);
  const record = await readHostRecord(dir);
  expect(record).toEqual({ ...emptyRecord(), insideHelper: helper, outsideHelper: helper, volumes });
  writeHostRecord(dir, record);
  expect(existsSync(earlier)).toBe(false);
  expect(await readHostRecord(dir)).toEqual(record);
});

test.each(["machine-host.json", "hall.json"])(
  "a damaged %s is refused, not taken for an empty one",
  async (name) => {
    writeFileSync(path.join(dir, name), "{");
    await expect(readHostRecord(dir)).rejects.toThrow(`${name} is damaged`);
  },
);
