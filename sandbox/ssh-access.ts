import { rm } from "node:fs/promises";
import path from "node:path";
import type { SandboxLayout } from "./environment";
import { readIfPresent, writePrivate } from "./files";

/** The user that the stack makes on every machine, and whose key it gives out. */
export const SSH_USER = "fw-admin";

/** What `ssh -F` reads: logs in to the sandbox's machines, and keeps what it learns about them to itself. */
export function sshConfig({ sshKey, sshKnownHosts }: SandboxLayout): string {
  // Percent signs would be read as places to fill in.
  const word = (file: string): string => `"${file.replaceAll("%", "%%")}"`;
  return [
    `User ${SSH_USER}`,
    `IdentityFile ${word(sshKey)}`,
    "IdentitiesOnly yes",
    `UserKnownHostsFile ${word(sshKnownHosts)}`,
    "StrictHostKeyChecking accept-new",
    "",
  ].join("\n");
}

/** Keeps the key with which a stack's machines are logged in to. */
export async function keepSshKey(layout: SandboxLayout, key: string): Promise<void> {
  // Another key means other machines, which may have the addresses of those before.
  if ((await readIfPresent(layout.sshKey)) !== key) await rm(layout.sshKnownHosts, { force: true });
  await writePrivate(layout.sshKey, key);
  await writePrivate(layout.sshConfig, sshConfig(layout));
}

/** The command that logs in to a machine, as it is typed in the project. */
export function sshCommand(layout: SandboxLayout, project: string, address: string): string {
  return `in-sandbox ssh -F ${path.relative(project, layout.sshConfig)} ${address}`;
}
