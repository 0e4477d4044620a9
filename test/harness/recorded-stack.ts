// A stack as an earlier release left it. The state was exported from a sandbox where commit 3d557f8 had built the stack dev with a user, a
// registry, labels, a plugin, a role and a binding.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { at, isObject, listAt, textAt } from "../../lib/json";
import type { Aws } from "../../sandbox/aws";
import { StackProgram } from "./stack-program";

const RECORDED = path.join(__dirname, "../e2e/testdata/dev-3d557f8");

/** Opens the stack beside an AWS without anything in it. With `kubeconfig`, the last update had that output. */
export async function openRecordedStack(aws: Aws, kubeconfig?: string): Promise<StackProgram> {
  const image = (name: string): string => `fleetwright.dev/${name}@sha256:${"a".repeat(64)}`;
  const program = await StackProgram.open("dev", {
    ...aws.environment,
    FLEETWRIGHT_COORDINATOR_IMAGE: image("coordinator"),
    FLEETWRIGHT_AGENT_IMAGE: image("agent"),
  });
  const settings = path.join(program.folder, "Pulumi.dev.yaml");
  copyFileSync(path.join(RECORDED, "Pulumi.dev.yaml"), settings);
  writeFileSync(settings, readFileSync(settings, "utf8").replaceAll("http://127.0.0.1:4566", aws.endpoint));
  const recorded: unknown = JSON.parse(
    gunzipSync(readFileSync(path.join(RECORDED, "state.json.gz"))).toString(),
  );
  if (kubeconfig !== undefined) {
    const stack = listAt(recorded, "deployment", "resources").find(
      (resource) => textAt(resource, "type") === "pulumi:pulumi:Stack",
    );
    const outputs = at(stack, "outputs");
    if (!isObject(outputs)) throw new Error("The recorded state has no outputs.");
    outputs.kubeconfig = kubeconfig;
  }
  const state = path.join(program.folder, "state.json");
  writeFileSync(state, JSON.stringify(recorded));
  await program.run(["stack", "import", "--file", state]);
  return program;
}
