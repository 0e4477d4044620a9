import { constants } from "node:fs";
import { access, chmod, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { version as awsVersion } from "@pulumi/aws/package.json";
import { version as commandVersion } from "@pulumi/command/package.json";
import { version as tlsVersion } from "@pulumi/tls/package.json";
import { quote } from "../environment";
import { bundleProvider } from "./bundle";

/** The providers that the sandbox has of its own, and the versions of the SDKs that they serve. */
export const PROVIDER_VERSIONS = { aws: awsVersion, command: commandVersion, tls: tlsVersion } as const;

/** The name of a provider that the sandbox has of its own. */
export type ProviderName = keyof typeof PROVIDER_VERSIONS;

/** A provider that is ready to be used by the engine. */
export interface InstalledProvider {
  readonly name: ProviderName;
  readonly version: string;
  /** Whose it is: the official one where it is installed, otherwise the sandbox's. */
  readonly origin: "official" | "sandbox";
  /** The executable that the engine starts. */
  readonly path: string;
}

/** Where official plugins may lie already, beside the engine's own home. */
export interface InstallOptions {
  /** @default the person's own `~/.pulumi` */
  readonly userHome?: string;
}

const MARK = "# The sandbox's own provider. Fleetwright writes this file; it is not the official plugin.";

/**
 * Makes providers ready in a Pulumi home. An official plugin of the same version, in that home or in the person's own,
 * is used; otherwise the sandbox's stands in its place.
 */
export async function installProviders(
  pulumiHome: string,
  names: readonly ProviderName[],
  { userHome = path.join(os.homedir(), ".pulumi") }: InstallOptions = {},
): Promise<InstalledProvider[]> {
  const installed: InstalledProvider[] = [];
  for (const name of names) {
    const version = PROVIDER_VERSIONS[name];
    const target = pluginPath(pulumiHome, name, version);
    const theirs = pluginPath(userHome, name, version);
    if (await isOfficial(target)) {
      installed.push({ name, version, origin: "official", path: target });
    } else if (theirs !== target && (await isOfficial(theirs))) {
      // The folder is a real one, because the engine does not look behind links to folders.
      await replace(target, (staged) => symlink(theirs, staged));
      installed.push({ name, version, origin: "official", path: target });
    } else {
      const script = launcher(process.execPath, await bundleProvider(name));
      if ((await content(target)) !== script) {
        await replace(target, async (staged) => {
          await writeFile(staged, script);
          await chmod(staged, 0o755);
        });
      }
      installed.push({ name, version, origin: "sandbox", path: target });
    }
  }
  return installed;
}

/** Where the engine looks for a plugin. */
export function pluginPath(pulumiHome: string, name: string, version: string): string {
  return path.join(pulumiHome, "plugins", `resource-${name}-v${version}`, `pulumi-resource-${name}`);
}

/** One line about whose providers are used. */
export function providersLine(installed: readonly InstalledProvider[]): string {
  const of = (origin: InstalledProvider["origin"]): string[] =>
    installed.filter((one) => one.origin === origin).map(({ name, version }) => `${name} ${version}`);
  const parts = [
    ...(of("sandbox").length > 0 ? [`${of("sandbox").join(", ")} (the sandbox's own)`] : []),
    ...(of("official").length > 0 ? [`${of("official").join(", ")} (official)`] : []),
  ];
  return parts.join("; ");
}

/** The script that the engine starts. */
export function launcher(node: string, bundle: string): string {
  return `#!/bin/sh\n${MARK}\nexec ${quote(node)} ${quote(bundle)} "$@"\n`;
}

async function isOfficial(file: string): Promise<boolean> {
  const runs = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  return runs && !(await content(file))?.includes(MARK);
}

/** The text of a file, if it is short enough to be a launcher. */
async function content(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() === true && found.size < 10_000 ? readFile(file, "utf8") : undefined;
}

/** Puts a file in its place at once and whole, because an engine may be about to start it. */
async function replace(target: string, make: (staged: string) => Promise<void>): Promise<void> {
  const staged = `${target}.${process.pid}.new`;
  await mkdir(path.dirname(target), { recursive: true });
  await rm(staged, { force: true });
  await make(staged);
  await rename(staged, target);
}
