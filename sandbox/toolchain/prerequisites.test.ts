import { goRequired, missingPrerequisites } from "./prerequisites";
import { TOOLS } from "./tools";

const good = { node: "20.20.2", go: "1.26.8", python: "3.11.7" };
const needs = { go: "1.26.0", python: true };

test("a machine with everything misses nothing", () => {
  expect(missingPrerequisites(good, needs, "local")).toEqual([]);
});

test("everything that is missing is named with the way to get it", () => {
  const missing = missingPrerequisites({ node: "18.0.0", go: undefined, python: "3.6.0" }, needs, undefined);
  expect(missing).toHaveLength(3);
  expect(missing[0]).toMatch(/^Node 20\.19\.0 or later, found 18\.0\.0: install it/);
  expect(missing[1]).toMatch(/^Go 1\.21\.0 or later, found none: install it.*apt-get install golang-go/);
  expect(missing[2]).toMatch(/^Python 3\.10\.0 or later, found 3\.6\.0: install it.*python3-venv/);
});

test("an older Go will do if it may fetch a newer one, and not if GOTOOLCHAIN=local", () => {
  const old = { ...good, go: "1.22.3" };
  expect(missingPrerequisites(old, needs, undefined)).toEqual([]);
  expect(missingPrerequisites(old, needs, "local")).toEqual([
    expect.stringMatching(/Go 1\.26\.0 .*GOTOOLCHAIN=local/),
  ]);
});

test("what is not needed is not asked for", () => {
  const bare = { node: "20.20.2", go: undefined, python: undefined };
  expect(missingPrerequisites(bare, { go: undefined, python: false }, undefined)).toEqual([]);
});

test("the needed Go is the newest that the modules ask for", async () => {
  expect(await goRequired([TOOLS.etcd])).toBe("1.24.0");
  expect(await goRequired([TOOLS.etcd, TOOLS.kwok])).toBe("1.26.0");
});
