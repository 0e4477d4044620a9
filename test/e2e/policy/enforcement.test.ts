import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { policyContextOf } from "../../../policy/core/policy-context";
import { policies } from "../../../policy/policies";
import { reportOf } from "../../../policy/report/report";
import { readSource } from "../../../policy/report/source";
import { PACK, PACK_FOLDER, PolicedProgram } from "../../harness/policed-program";

jest.setTimeout(900_000);

const FOLDERS = ["aws", "kubernetes", "product"].map((pack) => join(PACK_FOLDER, pack));
const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 24 * 3600 * 1000).toISOString().slice(0, 10);

/** Config that exempts the volume of the program until a day. */
const exempt = (expires: string): Record<string, string> => ({
  "fleetwright-policy:exemptions[0].policy": "aws-ebs-volume-encrypted",
  "fleetwright-policy:exemptions[0].resource": "aws:ebs/volume:Volume::data",
  "fleetwright-policy:exemptions[0].reason": "a volume with nothing on it",
  "fleetwright-policy:exemptions[0].expires": expires,
});

let program: PolicedProgram;
beforeAll(async () => {
  program = await PolicedProgram.open();
});
afterAll(() => program.engine.close());

describe("a value that is not known yet, and one that is a secret", () => {
  let folder: string;
  beforeAll(async () => (folder = await program.prepare("policed", "policed", {})));

  it("are noticed and evaluated, and the secret is not shown", async () => {
    const { code, stopped, advised, shown } = await program.evaluate(folder, ["preview"]);
    expect({ code, stopped }).toEqual({ code: 1, stopped: ["product-placement-instance-types"] });
    expect(shown).toContain('aws:ec2/launchTemplate:LaunchTemplate "hidden": instanceType is [secret].');
    expect(shown).not.toContain("hush.large");
    expect(advised).toContain("aws-ebs-volume-encrypted");
    expect(shown).toContain(
      'aws:ebs/volume:Volume "later": encrypted is not known yet. It will be evaluated during the update',
    );
  });

  it("are in a report on the preview", async () => {
    const { stdout } = await program.evaluate(folder, ["preview", "--json"], []);
    const source = readSource(JSON.parse(stdout));
    if (source === undefined) throw new Error(`no preview: ${stdout}`);
    const { policies: results } = reportOf(policies, source, policyContextOf({}, "prod"));
    const fared = (name: string) => results.find(({ policy }) => policy === name);
    expect(fared("aws-ebs-volume-encrypted")).toMatchObject({
      evaluated: 1,
      passed: 0,
      unknown: 1,
      violations: 0,
    });
    expect(fared("product-placement-instance-types")).toMatchObject({ evaluated: 1, violations: 1 });
    expect(stdout).not.toContain("hush.large");
  });
});

describe("an exemption in the stack's config", () => {
  it("counts for a preview without an option, by the variable that sandboxes set", async () => {
    const config = { program: "volume-in-the-clear", ...exempt(dayFromNow(30)) };
    const folder = await program.prepare("bad", "exempt", config, "exempt");
    const { code, shown } = await program.evaluate(folder, ["preview"], [], {
      PULUMI_OPTION_POLICY_PACK: PACK,
    });
    expect(shown).toContain("✅ fleetwright@v");
    expect(code).toBe(0);
  });

  it("stops when its day is over, and so does what it was for", async () => {
    const config = { program: "volume-in-the-clear", ...exempt(dayFromNow(-1)) };
    const folder = await program.prepare("bad", "expired", config, "expired");
    const { code, stopped, shown } = await program.evaluate(folder, ["preview"]);
    expect({ code, stopped: [...stopped].sort() }).toEqual({
      code: 1,
      stopped: ["aws-ebs-volume-encrypted", "aws-exemptions"],
    });
    expect(shown).toContain(`expired on ${dayFromNow(-1)}`);
  });

  it("counts where the packs are used alone, through a language host", async () => {
    const config = { program: "volume-in-the-clear", ...exempt(dayFromNow(30)) };
    const folder = await program.prepare("bad", "alone", config, "alone");
    const { code, shown } = await program.evaluate(folder, ["preview"], FOLDERS);
    for (const pack of ["aws", "kubernetes", "product"]) expect(shown).toContain(`✅ fleetwright-${pack}@v`);
    expect(code).toBe(0);
  });
});

it("a pack used alone stops what is its own to stop", async () => {
  const folder = await program.prepare("bad", "one", { program: "volume-in-the-clear" }, "one");
  const { code, stopped } = await program.evaluate(folder, ["preview"], [join(PACK_FOLDER, "aws")]);
  expect({ code, stopped }).toEqual({ code: 1, stopped: ["aws-ebs-volume-encrypted"] });
});

it("a policy whose enforcement level is remediate does, and then has nothing to stop", async () => {
  const settings = program.engine.path("repair.json");
  writeFileSync(settings, JSON.stringify({ "aws-kms-key-rotation": "remediate" }));
  const folder = await program.prepare("bad", "repair", { program: "key-never-rotated" }, "repair");
  const { code, stopped, shown } = await program.evaluate(folder, [
    "preview",
    "--policy-pack-config",
    settings,
  ]);
  expect({ code, stopped }).toEqual({ code: 0, stopped: [] });
  expect(shown).toContain("[remediate]");
});
