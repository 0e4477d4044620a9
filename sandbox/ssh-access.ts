import { rm } from "node:fs/promises";
import path from "node:path";
import type { SandboxLayout } from "./layout";
import { readIfPresent, writePrivate } from "../lib/files";

/** The user that the stack creates on every machine, and whose key it outputs. */
export const SSH_USER = "fw-admin";

/** The configuration for `ssh -F`: logs in to the sandbox's machines, with known hosts of its own. */
export function sshConfig({ sshKey, sshKnownHosts }: SandboxLayout): string {
  // ssh would read percent signs as tokens to expand.
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

/** Keeps the key for logging in to a stack's machines. */
export async function keepSshKey(layout: SandboxLayout, key: string): Promise<void> {
  // Another key means other machines, which may have the same addresses.
  if ((await readIfPresent(layout.sshKey)) !== key) await rm(layout.sshKnownHosts, { force: true });
  await writePrivate(layout.sshKey, key);
  await writePrivate(layout.sshConfig, sshConfig(layout));
}

/** The command that logs in to a machine, as it is typed in the project. */
export function sshCommand(layout: SandboxLayout, project: string, address: string): string {
  return `in-sandbox ssh -F ${path.relative(project, layout.sshConfig)} ${address}`;
}
