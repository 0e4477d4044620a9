import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../harness/engine";

let engine: Engine;
let program: string;

beforeAll(async () => {
  engine = await Engine.open();
  program = engine.program("typed");
  await engine.expect(["stack", "init", "dev"], program);
});

afterAll(() => engine.close());

it("runs a program in TypeScript as it is", async () => {
  const shown = await engine.expect(["up", "--yes", "--skip-preview"], program);
  expect(shown).toContain("typed:index:Shelf shelf");
  expect(shown).toContain("+ 2 created");
  expect(JSON.parse(await engine.expect(["stack", "output", "--json"], program))).toEqual({ books: 4 });
});

it("stops at a type error and says where it is", async () => {
  writeFileSync(join(program, "index.ts"), `export const port: number = "eighty";\n`);
  const { code, stdout } = await engine.pulumi(["preview"], program);
  expect(code).toBe(1);
  const diagnostics = stdout.slice(stdout.indexOf("Diagnostics:"));
  expect(diagnostics).toContain("Unable to compile TypeScript");
  expect(diagnostics).toMatch(/index\.ts.*1.*14.*Type 'string' is not assignable to type 'number'/);
});

it("follows the tsconfig option", async () => {
  writeFileSync(join(program, "index.ts"), `export function port(given) { return given; }\n`);
  // The file is not called tsconfig.json, so only the option can lead there.
  writeFileSync(join(program, "strict.json"), `{ "compilerOptions": { "strict": true } }`);
  writeFileSync(
    join(program, "Pulumi.yaml"),
    "name: typed\nruntime:\n  name: nodejs\n  options:\n    tsconfig: strict.json\n",
  );
  const { code, stdout } = await engine.pulumi(["preview"], program);
  expect(code).toBe(1);
  expect(stdout).toContain("implicitly has an 'any' type");
});
