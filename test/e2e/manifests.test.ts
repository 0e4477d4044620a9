import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { dump } from "js-yaml";
import type { Manifest } from "../../controllers/coordinator/plugins/manifest";
import { ApiClient, kubeconfigCredentials } from "../../controllers/runtime";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { ensureTools } from "../../sandbox/toolchain";
import {
  checkFolder,
  readExceptions,
  type CheckovReport,
  type Exception,
  type Finding,
} from "../harness/checkov/checkov";
import { declaredManifests, pluginManifests } from "../harness/manifests";

let plane: ControlPlane;
let client: ApiClient;
let kubectl: string;
let folder: string;
let manifests: Manifest[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fleetwright-manifests-"));
  plane = await startControlPlane({ components: { controllerManager: false, scheduler: false } });
  client = new ApiClient(kubeconfigCredentials(plane.kubeconfig), { rateLimit: false });
  kubectl = (await ensureTools(["kubectl"])).kubectl.path;
  const declared = await declaredManifests();
  manifests = [...declared, ...(await pluginManifests(client, AbortSignal.timeout(60_000)))];
  // What others stand on is there for real, the rest is only tried.
  const ground = manifests.filter(({ kind }) => ["Namespace", "CustomResourceDefinition"].includes(kind));
  expect(await refusals(ground, { dryRun: false })).toEqual([]);
  await run(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
});
afterAll(async () => {
  client.close();
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs kubectl however it ends, and gives what it complains of. */
async function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(kubectl, ["--kubeconfig", plane.kubeconfig, ...args], (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });
}

/** Writes objects to a folder of their own, one to a file. */
async function written(objects: readonly Manifest[]): Promise<string> {
  const objectsFolder = await mkdtemp(path.join(folder, "objects-"));
  await Promise.all(
    objects.map((object, at) => writeFile(path.join(objectsFolder, `${at}.yaml`), dump(object))),
  );
  return objectsFolder;
}

/** What the API server says against objects if it overlooks nothing: no unknown field, no wrong type, no missing one. */
async function refusals(objects: readonly Manifest[], { dryRun = true } = {}): Promise<string[]> {
  const objectsFolder = await written(objects);
  const said = await run([
    "apply",
    "--server-side",
    "--field-manager=fleetwright-program",
    "--validate=strict",
    ...(dryRun ? ["--dry-run=server"] : []),
    `--filename=${objectsFolder}`,
  ]);
  return said.split("\n").filter((line) => line !== "");
}

/** The first object of a kind, with another text in it. */
function altered(kind: string, from: RegExp, to: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`Nothing of the kind ${kind} is declared.`);
  const text = JSON.stringify(found);
  expect(text).toMatch(from);
  return JSON.parse(text.replace(from, to)) as Manifest;
}

test("every kind of object that the product can put into a cluster is among those that are checked", () => {
  expect([...new Set(manifests.map(({ kind }) => kind))].sort()).toMatchInlineSnapshot(`
    [
      "APIService",
      "AuthorizationRole",
      "AuthorizationRoleBinding",
      "ClusterLabel",
      "ClusterRole",
      "ClusterRoleBinding",
      "ConfigMap",
      "CustomResourceDefinition",
      "DaemonSet",
      "Deployment",
      "Greeting",
      "Job",
      "Namespace",
      "NetworkPolicy",
      "NodePoolLabel",
      "PersistentVolumeClaim",
      "Plugin",
      "PodDisruptionBudget",
      "PriorityClass",
      "Registry",
      "ResourceQuota",
      "Role",
      "RoleBinding",
      "Secret",
      "Service",
      "ServiceAccount",
      "User",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
    ]
  `);
});

test("the API server takes every one of them in its strictest reading, and warns of the agent alone", async () => {
  expect(await refusals(manifests)).toEqual([
    expect.stringMatching(/^Warning: would violate PodSecurity "restricted:latest": .*container "agent"/),
  ]);
});

test.each<[string, string, RegExp, string, RegExp]>([
  [
    "a field that is misspelt",
    "Deployment",
    /"readOnlyRootFilesystem"/,
    '"readOnlyRootFileSystem"',
    /\.readOnlyRootFileSystem: field not declared/,
  ],
  ["a value of a wrong type", "DaemonSet", /"hostNetwork":true/, '"hostNetwork":"yes"', /hostNetwork/],
  [
    "an object without what it must have",
    "Deployment",
    /"selector":\{"matchLabels":\{[^}]*\}\},/,
    "",
    /spec\.selector: Required value/,
  ],
  ["a field of a Job that is misspelt", "Job", /"backoffLimit"/, '"backOffLimit"', /backOffLimit/],
  ["a field that one of our kinds does not have", "User", /"sudo"/, '"sudoer"', /sudoer/],
  [
    "a misspelt field of a definition",
    "CustomResourceDefinition",
    /"additionalPrinterColumns"/,
    '"additionalPrinterColumn"',
    /additionalPrinterColumn: field not declared/,
  ],
])("it would not take %s", async (_, kind, from, to, words) => {
  expect((await refusals([altered(kind, from, to)])).join("\n")).toMatch(words);
});

describe("Checkov", () => {
  let report: CheckovReport;
  let planted: Finding[];
  let exceptions: Exception[];
  const named = ({ check, resource }: Finding): string => `${check} ${resource}`;

  beforeAll(async () => {
    const privileged = altered("Deployment", /"allowPrivilegeEscalation":false/, '"privileged":true');
    const wrong = { ...privileged, metadata: { ...privileged.metadata, name: "wrong" } };
    const all = await checkFolder(await written([...manifests, wrong]));
    const isWrong = ({ resource }: Finding): boolean => resource.endsWith(".wrong");
    const isOurs = (finding: Finding): boolean => !isWrong(finding);
    planted = all.findings.filter(isWrong);
    report = { ...all, passed: all.passed.filter(isOurs), findings: all.findings.filter(isOurs) };
    exceptions = await readExceptions();
    const excepted = new Set(exceptions.map(named));
    const skipped = report.findings.filter((finding) => excepted.has(named(finding))).length;
    process.stdout.write(
      `checkov: ${report.passed.length} passed, ${report.findings.length - skipped} failed, ${skipped} skipped with reason\n`,
    );
  });

  test("reads every manifest", () => {
    expect(report.unread).toEqual([]);
    expect(report.passed.length).toBeGreaterThan(manifests.length);
  });

  test("finds nothing but what we live with for a reason", () => {
    const excepted = new Set(exceptions.map(named));
    expect(report.findings.map(named).filter((finding) => !excepted.has(finding))).toEqual([]);
    expect(exceptions.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });

  test("finds everything that we live with: no exception outlives its reason", () => {
    const found = new Set(report.findings.map(named));
    expect(exceptions.map(named).filter((exception) => !found.has(exception))).toEqual([]);
    expect(new Set(exceptions.map(named)).size).toBe(exceptions.length);
  });

  test("finds a privileged container that was put there for it", () => {
    expect(planted.map(({ check }) => check)).toContain("CKV_K8S_16");
  });
});
