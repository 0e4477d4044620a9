import { lstat, mkdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { readIfPresent } from "../lib/files";
import { quote } from "./environment";
import type { SandboxLayout } from "./layout";
import { outsideOf } from "./machines";
import type { ReadyTool } from "./toolchain";

/** Tools that have to reach machines and load balancers, and so run inside the sandbox's network. */
const INSIDE = ["pulumi", "kubectl"] as const;

/**
 * Links the tools where a shell finds the programs and the engine its plugins. Plugins go to its own plugin folder: it
 * warns about every one that it finds on PATH.
 */
export async function linkTools(
  layout: SandboxLayout,
  tools: Readonly<Record<string, ReadyTool>>,
): Promise<void> {
  await Promise.all(
    Object.values(tools).map(async ({ name, version, path: target }) => {
      const plugin = /^pulumi-(resource|language)-(.+)$/.exec(name);
      const folder =
        plugin === null
          ? layout.bin
          : path.join(layout.pulumiHome, "plugins", `${plugin[1] ?? ""}-${plugin[2] ?? ""}-v${version}`);
      const file = path.join(folder, name);
      // A wrapper script stays: it is written again once the network is known.
      if (INSIDE.some((tool) => tool === name) && (await exists(file))) return;
      await link(target, file);
    }),
  );
  await mkdir(layout.pulumiState, { recursive: true, mode: 0o700 });
}

/** Writes commands that run their tool, or what they are given, inside the sandbox's network, where there is one. */
export async function writeWrapperScripts(
  layout: SandboxLayout,
  tools: Readonly<Partial<Record<string, ReadyTool>>>,
  network: string | undefined,
): Promise<void> {
  const commands = [
    ...INSIDE.map((name) => [name, tools[name]?.path ?? name, network] as const),
    ["in-sandbox", undefined, network] as const,
    ["outside-sandbox", undefined, network === undefined ? undefined : outsideOf(network)] as const,
  ];
  await mkdir(layout.bin, { recursive: true });
  for (const [name, tool, namespace] of commands) {
    const file = path.join(layout.bin, name);
    const text = wrapperScript(namespace, tool);
    const isLink = (await lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
    if (!isLink && (await readIfPresent(file)) === text) continue;
    const temporary = `${file}.${process.pid}`;
    await writeFile(temporary, text, { mode: 0o755 });
    await rename(temporary, file);
  }
}

/** A command that runs a tool, or its arguments, inside the sandbox's network while there is one. */
export function wrapperScript(network: string | undefined, tool: string | undefined): string {
  const command = `${tool === undefined ? "" : `${quote(tool)} `}"$@"`;
  const inside =
    network === undefined
      ? []
      : [`if [ -e /run/netns/${network} ]; then exec ip netns exec ${network} ${command}; fi`];
  return [
    "#!/bin/sh",
    "# Machines and load balancers are reached from inside the sandbox's network, public addresses from outside it too.",
    ...inside,
    `exec ${command}`,
    "",
  ].join("\n");
}

/** Points a link at a target, atomically even if it pointed elsewhere. */
async function link(target: string, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  if ((await readlink(file).catch(() => undefined)) === target) return;
  const temporary = `${file}.${process.pid}`;
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, file);
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
