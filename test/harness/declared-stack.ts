import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type * as Pulumi from "@pulumi/pulumi";
import { load } from "js-yaml";
import type * as mockGraph from "../../components/testing/mock-graph";
import { isObject } from "../../lib/json";

const ROOT = path.join(__dirname, "../..");

function yamlOf(file: string): Record<string, unknown> {
  const content: unknown = load(readFileSync(path.join(ROOT, file), "utf8"));
  return isObject(content) && isObject(content.config) ? content.config : {};
}

/** The settings of a stack of the project, as its file has them. */
export function configOf(stack: string): Record<string, unknown> {
  return yamlOf(`Pulumi.${stack}.yaml`);
}

/** The contexts that settings name, at any depth. */
function contextsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(contextsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "kubeContext" && typeof inner === "string" ? [inner] : contextsIn(inner),
  );
}

// The kubeconfig of a person who has the contexts that the settings name.
function writeKubeconfig(folder: string, config: Readonly<Record<string, unknown>>): string {
  const file = path.join(folder, "kubeconfig");
  const names = contextsIn(config);
  const content = {
    apiVersion: "v1",
    kind: "Config",
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
    clusters: names.map((name) => ({
      name,
      cluster: { server: `https://${name}.example:6443`, "certificate-authority-data": "YQ==" },
    })),
    users: names.map((name) => ({ name, user: { token: "not a real one" } })),
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** Runs the program with these settings, and our own programs in it, with every provider answering with its inputs. */
export async function declaredWith(
  config: Readonly<Record<string, unknown>>,
): Promise<readonly mockGraph.RegisteredResource[]> {
  // Mocks have a project of their own name.
  const values = Object.entries(config).map(([key, value]) => [
    key.replace(/^fleetwright:/, "acme:"),
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  // As the sandbox or a person names their images.
  const host =
    config["fleetwright-policy:settings"] === undefined ? "ghcr.io/fleetwright" : "fleetwright.dev";
  for (const name of ["coordinator", "agent"])
    process.env[`FLEETWRIGHT_${name.toUpperCase()}_IMAGE`] = `${host}/${name}@sha256:${"a".repeat(64)}`;
  const folder = mkdtempSync(path.join(tmpdir(), "fleetwright-declared-"));
  const { KUBECONFIG: before } = process.env;
  process.env.KUBECONFIG = writeKubeconfig(folder, config);
  try {
    return await declare(values);
  } finally {
    if (before === undefined) delete process.env.KUBECONFIG;
    else process.env.KUBECONFIG = before;
    rmSync(folder, { recursive: true });
  }
}

async function declare(
  values: readonly (readonly string[])[],
): Promise<readonly mockGraph.RegisteredResource[]> {
  let graph: mockGraph.MockGraph | undefined;
  await jest.isolateModulesAsync(async () => {
    /* eslint-disable @typescript-eslint/no-require-imports -- they have to run again for each stack */
    const pulumi = require("@pulumi/pulumi") as typeof Pulumi;
    const { MockGraph } = require("../../components/testing/mock-graph") as typeof mockGraph;
    pulumi.runtime.setAllConfig(Object.fromEntries(values) as Record<string, string>, []);
    graph = await MockGraph.of(() => void require("../../index"));
    /* eslint-enable @typescript-eslint/no-require-imports */
  });
  return graph?.resources ?? [];
}
