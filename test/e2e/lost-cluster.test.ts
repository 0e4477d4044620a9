import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { listAt, parseJson, textAt } from "../../lib/json";
import { StackProgram } from "../harness/stack-program";

const JANE = "kubernetes:fleetwright.dev/v1:User";

// The steps of a bad day, in their order; each needs those before it.
describe("a stack for a cluster that somebody else keeps", () => {
  let folder: string;
  let plane: ControlPlane;
  let program: StackProgram;

  beforeAll(async () => {
    // Kept when it stops, so that what its kubeconfig names is there no longer, but the kubeconfig is.
    folder = await mkdtemp(path.join(tmpdir(), "fleetwright-lost-"));
    plane = await startControlPlane({ dir: folder, components: { scheduler: false } });
    program = await StackProgram.open("existing", { KUBECONFIG: plane.kubeconfig });
    await program.configure((config) => {
      config["fleetwright:users"] = [{ name: "jane" }];
    });
    await program.changes("up");
    expect(await known()).toContain(JANE);
  });
  afterAll(async () => {
    await program.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The types of all that the stack says it has. */
  const known = async (): Promise<string[]> =>
    listAt(parseJson(await program.run(["stack", "export"])), "deployment", "resources")
      .map((resource) => textAt(resource, "type") ?? "")
      .filter((type) => type !== "pulumi:pulumi:Stack")
      .sort();

  /** Runs what cannot go well, and sees to it that nothing is forgotten. */
  const refused = async (...args: string[]): Promise<void> => {
    const before = await known();
    const { code, stdout, stderr } = await program.attempt(args);
    expect([args, code === 0]).toEqual([args, false]);
    expect(`${stdout}${stderr}`).toMatch(/cluster is unreachable|unreachable cluster/);
    expect(await known()).toEqual(before);
  };

  test("shows no change in a second update, and in a refresh but one: of how its witness is noted", async () => {
    expect(Object.keys(await program.changes("up"))).toEqual(["same"]);
    expect(await program.changes("refresh")).toMatchObject({ update: 1 });
    expect(Object.keys(await program.changes("refresh"))).toEqual(["same"]);
  });

  describe("that is gone for good", () => {
    beforeAll(() => plane.stop());

    test("is reported so by a preview", () => refused("preview"));

    test("forgets nothing in a refresh", () => refused("refresh", "--yes"));

    test("forgets no user who is taken out of its file: he still has what he had", async () => {
      await program.configure((config) => {
        config["fleetwright:users"] = [];
      });
      await refused("up", "--yes", "--skip-preview");
    });

    test("can be destroyed, which says what it did not reach", async () => {
      const { code, stdout, stderr } = await program.attempt(["destroy", "--yes", "--skip-preview"]);
      const said = `${stdout}${stderr}`;
      expect([code, said]).toEqual([0, expect.any(String)]);
      expect(said).toMatch(/User \(users-jane\):\n[^]*Deleting the unreachable resource from Pulumi state/);
      expect(await known()).toEqual([]);
    });
  });
});
