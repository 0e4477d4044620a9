import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** For tests: the text of a file in `testdata`. With UPDATE_GOLDEN=1 it is written first, for a person to look at. */
export function golden(name: string, text: string): string {
  const file = join(__dirname, "../testdata", name);
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readFileSync(file, "utf8");
}
