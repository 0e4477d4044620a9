import { publicKey } from "../../../test/harness/agent/keys";
import { nextExpiry } from "../../../api/login";
import { describeTampering, KEYS_HEADER, renderKeys } from "./authorized-keys";
import { renderSudoers, sudoersProblem } from "./sudoers";

const [one, two] = [publicKey("one"), publicKey("two")];
const NOW = Date.UTC(2026, 0, 1);

test("a key is in its file until it expires", () => {
  const keys = [{ line: one, notAfter: NOW + 1000 }, { line: two }];
  expect(renderKeys({ keys }, NOW + 999)).toBe(`${KEYS_HEADER}\n${one}\n${two}\n`);
  expect(renderKeys({ keys }, NOW + 1000)).toBe(`${KEYS_HEADER}\n${two}\n`);
  expect(nextExpiry({ keys }, NOW)).toBe(NOW + 1000);
  expect(nextExpiry({ keys }, NOW + 1000)).toBeUndefined();
});

test.each([
  [
    "a foreign key by its fingerprint",
    `${one}\n${two}\n`,
    /^1 foreign line \(ssh-ed25519 SHA256:[\w+/]{43}\)$/,
  ],
  ["a foreign key behind options", `${one}\ncommand="x y" ${two}\n`, /\(ssh-ed25519 SHA256:/],
  ["other lines by their beginning", `${one}\n\u001b[2Jhello\n`, /^1 foreign line \("\?\[2Jhello"\)$/],
  ["what is missing", "", /^1 of its lines missing$/],
  ["another order or empty lines", `\n${one}\n`, /^its lines in another form$/],
])("tampering is described: %s", (_what, found, words) => {
  expect(describeTampering(found, `${one}\n`)).toMatch(words);
});

test("the sudo rules have one line for each, and no file is needed for nobody", () => {
  expect(renderSudoers([])).toBeUndefined();
  const text = renderSudoers(["joan", "ada"]) ?? "";
  expect(text.split("\n").slice(1)).toEqual([
    "ada ALL=(ALL:ALL) NOPASSWD: ALL",
    "joan ALL=(ALL:ALL) NOPASSWD: ALL",
    "",
  ]);
});

test.each(["ALL", "%sudo", "ada,eve", "ada\nALL", "#0", "+net", "@include x", ""])(
  "a rule for %j is never written",
  (name) => {
    expect(() => renderSudoers([name])).toThrow(/not written/);
  },
);

test("rules that were cut are no rules", () => {
  expect(sudoersProblem("ada ALL=(ALL:ALL) NOPASSWD: AL")).toMatch(/line end/);
  expect(sudoersProblem("ada ALL=(ALL:ALL) NOPASSWD: AL\n")).toMatch(/has the line/);
});
