import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { load } from "js-yaml";
import { errorMessage, Failure } from "../../../../lib/failure";
import { readIfPresent } from "../../../../lib/files";
import { isObject } from "../../../../lib/json";
import { registryFolder } from "./containerd";
import type { Layout } from "./layout";

/** What registries.yaml says of one registry. */
export interface Mirror {
  registry: string;
  endpoints: readonly string[];
}

const MIRROR_KEYS = ["endpoint", "rewrite"];
const CONFIG_KEYS = ["auth", "tls"];
const AUTH_KEYS = ["username", "password", "auth", "identity_token", "token"];
const TLS_KEYS = ["ca_file", "cert_file", "key_file", "insecure_skip_verify"];

/** Reads registries.yaml and refuses what containerd would not understand; values of `auth` are never shown. */
export function parseRegistries(file: string, text: string): Mirror[] {
  let value: unknown;
  try {
    value = load(text) ?? {};
  } catch (error) {
    throw new Failure(`${file} is not YAML: ${errorMessage(error).split("\n")[0] ?? ""}`);
  }
  const problems: string[] = [];
  const check = (where: string, part: unknown, allowed: readonly string[]): Record<string, unknown> => {
    if (part === undefined || part === null) return {};
    if (!isObject(part)) {
      problems.push(`${where} must hold keys with values.`);
      return {};
    }
    for (const key of Object.keys(part))
      if (!allowed.includes(key))
        problems.push(`${where}: unknown key "${key}". Known are ${allowed.join(", ")}.`);
    return part;
  };
  const root = check(file, value, ["mirrors", "configs"]);
  const mirrors = Object.entries(isObject(root.mirrors) ? root.mirrors : {}).map(([registry, part]) => {
    const { endpoint } = check(`${file}: mirrors."${registry}"`, part, MIRROR_KEYS);
    const endpoints = Array.isArray(endpoint) ? endpoint.map(String) : [];
    for (const url of endpoints)
      if (!URL.canParse(url)) problems.push(`${file}: mirrors."${registry}".endpoint: ${url} is no URL.`);
    return { registry, endpoints };
  });
  for (const [registry, part] of Object.entries(isObject(root.configs) ? root.configs : {})) {
    const { auth, tls } = check(`${file}: configs."${registry}"`, part, CONFIG_KEYS);
    check(`${file}: configs."${registry}".auth`, auth, AUTH_KEYS);
    check(`${file}: configs."${registry}".tls`, tls, TLS_KEYS);
  }
  if (problems.length > 0) throw new Failure(problems.join("\n"));
  return mirrors;
}

/** The file that tells containerd of the mirrors of one registry. */
export function hostsToml(mirror: Mirror): string {
  const hosts = mirror.endpoints.map((url) => `[host."${url}"]\n  capabilities = ["pull", "resolve"]\n`);
  return [mirror.registry === "*" ? "" : `server = "https://${mirror.registry}"\n`, ...hosts].join("\n");
}

/** Checks registries.yaml, if there is one, and hands it on to containerd. */
export async function writeRegistries(file: string, layout: Layout): Promise<void> {
  const folder = registryFolder(layout);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const text = await readIfPresent(file);
  if (text === undefined) return;
  for (const mirror of parseRegistries(file, text)) {
    const target = path.join(folder, mirror.registry === "*" ? "_default" : mirror.registry);
    await mkdir(target, { recursive: true });
    await writeFile(path.join(target, "hosts.toml"), hostsToml(mirror));
  }
}
