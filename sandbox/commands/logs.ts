import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, ExitCode, Failure } from "../../lib/failure";
import type { Sandbox } from "../sandbox";

/** Which logs to print. */
export interface LogOptions {
  /** One component; all of them otherwise. */
  component: string | undefined;
  lines: number;
  follow: boolean;
  signal: AbortSignal;
}

/** Prints the end of a sandbox's logs and, if asked, what is added to them. */
export async function printLogs(
  sandbox: Sandbox,
  { component, lines, follow, signal }: LogOptions,
): Promise<void> {
  const { controlPlane, cloud, hub, members } = sandbox.layout;
  const folders = [controlPlane, cloud].map((part) => path.join(part, "logs"));
  const ofHub = (await logsIn(path.join(hub, "logs"))).map(
    ([name, file]) => [name === "audit" ? "hub-audit" : name, file] as const,
  );
  const ofMembers = await Promise.all(
    Object.keys(await sandbox.members()).map(async (member) =>
      (await logsIn(path.join(members, member, "logs"))).map(
        ([name, file]) => [`${member}-${name}`, file] as const,
      ),
    ),
  );
  const logs = new Map([...(await Promise.all(folders.map(logsIn))).flat(), ...ofHub, ...ofMembers.flat()]);
  if (logs.size === 0)
    throw new Failure(
      `Sandbox ${sandbox.layout.name} has no logs: it was never brought up. Bring it up: npm run sandbox -- up`,
    );
  const known = [...logs.keys()];
  if (component !== undefined && !known.includes(component)) {
    throw new Failure(`There is no log of "${component}". There are ${known.join(", ")}.`, ExitCode.usage);
  }
  const wanted = component === undefined ? known.filter((name) => !name.endsWith("audit")) : [component];
  const files = await Promise.all(
    wanted.map(async (name) => {
      const file = logs.get(name) ?? "";
      const text = await readFile(file, "utf8");
      return { name, file, offset: Buffer.byteLength(text), tail: text.trimEnd().split("\n").slice(-lines) };
    }),
  );
  const show = (name: string, line: string): void => {
    process.stdout.write(component === undefined ? `${name}: ${line}\n` : `${line}\n`);
  };
  for (const { name, tail } of files) for (const line of tail) show(name, line);
  while (follow && !signal.aborted) {
    for (const file of files) {
      const { size } = await stat(file.file);
      if (size <= file.offset) {
        // A log that became shorter was started over.
        if (size < file.offset) file.offset = 0;
        continue;
      }
      let added = "";
      for await (const chunk of createReadStream(file.file, { start: file.offset, end: size - 1 }))
        added += String(chunk);
      const whole = added.slice(0, added.lastIndexOf("\n") + 1);
      file.offset += Buffer.byteLength(whole);
      for (const line of whole.split("\n").slice(0, -1)) show(file.name, line);
    }
    await wait(200, undefined, { signal }).catch(() => {});
  }
}

/** The logs in a folder, by the names of their components. */
async function logsIn(folder: string): Promise<[string, string][]> {
  const files = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
    return [];
  });
  return files
    .filter((file) => file.endsWith(".log"))
    .map((file) => [path.basename(file, ".log"), path.join(folder, file)]);
}
