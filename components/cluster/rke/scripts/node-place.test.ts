import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { load } from "js-yaml";
import { memberPlace, nodePlace } from "./node-place";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "fleetwright-place-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs the lines with `/etc` elsewhere, and gives the file that they write. */
function written(lines: string, before = ""): unknown {
  const script = `set -euo pipefail\n${before}\n${lines.replaceAll("/etc/", `${root}/etc/`)}`;
  expect(spawnSync("bash", ["-c", script], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  const file = path.join(root, "etc/rancher/rke2/config.yaml.d/10-node.yaml");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return load(readFileSync(file, "utf8"));
}

it("tells where a node of a pool is, by its instance, as autoscalers and cloud controllers read it", () => {
  mkdirSync(path.join(root, "etc/rancher/rke2/config.yaml.d"), { recursive: true });
  const facts = "instance_id() { echo i-0123456789abcdef0; }; REGION=eu-central-1 zone=eu-central-1b";
  expect(written(nodePlace("$(instance_id)", "$REGION", "$zone"), facts)).toEqual({
    "node-name": "i-0123456789abcdef0",
    "kubelet-arg+": ["provider-id=aws:///eu-central-1b/i-0123456789abcdef0"],
    "node-label+": [
      "topology.kubernetes.io/region=eu-central-1",
      "topology.kubernetes.io/zone=eu-central-1b",
    ],
  });
});

it("tells of a server the member and not the machine, which may be another one tomorrow", () => {
  expect(written(memberPlace("main-server-0", "us-gov-west-1a"))).toEqual({
    "node-name": "main-server-0",
    "kubelet-arg+": ["provider-id=aws:///us-gov-west-1a/main-server-0"],
    "node-label+": [
      "topology.kubernetes.io/region=us-gov-west-1",
      "topology.kubernetes.io/zone=us-gov-west-1a",
    ],
  });
});
