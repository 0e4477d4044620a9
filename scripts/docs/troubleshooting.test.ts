import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(__dirname, "../..");
const ROOMS = ["api", "components", "controllers", "hub", "lib", "policy", "sandbox", "scripts"];
/** Shorter pieces of a message could be anywhere. */
const TELLING = 12;

/** What our programs say stands in their sources; `${…}` and `$NAME` there is what differs from case to case. */
const sources = [
  ...ROOMS.flatMap((room) =>
    readdirSync(path.join(ROOT, room), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => path.join(room, file)),
  ),
  "config.ts",
  "index.ts",
].map((file) => readFileSync(path.join(ROOT, file), "utf8"));

const quotes = readFileSync(path.join(ROOT, "docs/troubleshooting.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("### "))
  .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, quote = ""]) => quote));

/** Whether a source says the pieces of a quote in their order. */
function says(source: string, pieces: readonly string[]): boolean {
  let place = 0;
  return pieces.every((piece) => {
    const found = source.indexOf(piece, place);
    place = found + piece.length;
    return found !== -1;
  });
}

test("there are errors on the page", () => expect(quotes.length).toBeGreaterThan(30));

test.each(quotes)("a program says: %s", (quote) => {
  const pieces = quote.split("…").filter((piece) => piece.trim() !== "");
  expect(Math.max(...pieces.map(({ length }) => length))).toBeGreaterThanOrEqual(
    Math.min(TELLING, quote.length),
  );
  expect(sources.some((source) => says(source, pieces))).toBe(true);
});

test("no error stands on the page twice", () => {
  expect(quotes.filter((quote, index) => quotes.indexOf(quote) !== index)).toEqual([]);
});
