// Writes roles.json: the rights that the controllers declare, as plain data, so that a program that only declares them
// does not load the controllers. A test fails when the file is stale.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { declaredRoles } from "./declared-roles";

async function main(): Promise<void> {
  const file = path.join(__dirname, "roles.json");
  const options = { ...(await resolveConfig(file)), filepath: file };
  await writeFile(file, await format(JSON.stringify(declaredRoles()), options));
}

void main();
