import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../shell";
import { ENSURE_IPTABLES } from "./ensure-iptables";
import { REPORT } from "./report";

let bin: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "fleetwright-iptables-"));
});
afterEach(() => rmSync(bin, { recursive: true, force: true }));

/** A machine that has these programs, and no others. */
function run(programs: Readonly<Record<string, string>>): { code: number | null; out: string; err: string } {
  symlinkSync("/bin/cat", join(bin, "cat"));
  for (const [name, lines] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${lines}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const text = script({}, REPORT, ENSURE_IPTABLES, "ensure_iptables\necho done");
  const { status, stdout, stderr } = spawnSync("/bin/bash", ["-c", text], {
    encoding: "utf8",
    env: { PATH: bin },
  });
  return { code: status, out: stdout, err: stderr };
}

const asked = (): string => (existsSync(join(bin, "asked")) ? readFileSync(join(bin, "asked"), "utf8") : "");
const apt = (more = ""): string => `echo "$*" >>${"${0%/*}"}/asked\n${more}`;

it("asks for nothing where it is there", () => {
  expect(run({ iptables: "", "apt-get": apt() })).toMatchObject({ code: 0, out: "done\n" });
  expect(asked()).toBe("");
});

it("installs it on an image of Debian, which has none", () => {
  const { code, out } = run({ "apt-get": apt() });
  expect([code, out]).toEqual([0, "done\n"]);
  expect(asked()).toMatch(/ update\n.* -y install iptables\n$/);
});

it.each([
  ["there is no apt", {}],
  ["it reaches no archive", { "apt-get": apt("exit 100") }],
])("is refused where %s", (_, programs) => {
  const { code, out, err } = run(programs);
  expect([code, out]).toEqual([1, expect.not.stringContaining("done")]);
  expect(err).toMatch(/^Refused: the image has no iptables.*Choose an image that has it\.$/m);
});
