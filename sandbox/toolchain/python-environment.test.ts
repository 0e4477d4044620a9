import { mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensurePythonEnvironment, type PythonProgram } from "./python-environment";

let root: string;
let program: PythonProgram;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "fleetwright-python-test-"));
  const requirements = path.join(root, "requirements.txt");
  writeFileSync(requirements, "# none\n");
  program = { name: "nothing", purpose: "a test", requirements };
});
afterEach(() => rmSync(root, { recursive: true }));

test("an environment is kept, and made again when its Python has gone", async () => {
  const python = await ensurePythonEnvironment(program, { root });
  const steps: string[] = [];
  const progress = {
    step: <T>(title: string, work: (update: (detail: string) => void) => Promise<T>): Promise<T> => {
      steps.push(title);
      return work(() => {});
    },
    note: () => {},
  };
  await ensurePythonEnvironment(program, { root, progress });
  expect(steps).toEqual([]);
  rmSync(python);
  symlinkSync("/nowhere/python3", python);
  await ensurePythonEnvironment(program, { root, progress });
  expect(steps).toEqual(["installing nothing (a test)"]);
  expect(readlinkSync(python)).not.toBe("/nowhere/python3");
});
