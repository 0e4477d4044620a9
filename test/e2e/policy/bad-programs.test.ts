import { readdirSync } from "node:fs";
import { join } from "node:path";
import { programs } from "../../harness/engine";
import { PolicedProgram } from "../../harness/policed-program";

jest.setTimeout(900_000);

/** The program, the policy that stops it, and what it says. */
const EXPECTED: Readonly<Record<string, readonly [policy: string, message: string]>> = {
  "volume-in-the-clear": ["aws-ebs-volume-encrypted", 'aws:ebs/volume:Volume "data": encrypted is false.'],
  "metadata-for-everybody": ["aws-ec2-metadata-v2", 'metadataOptions.httpTokens is "optional"'],
  "machine-on-the-internet": ["aws-ec2-no-public-address", "associatePublicIpAddress is true"],
  "key-in-user-data": ["aws-ec2-no-keys-in-user-data", "userData is text with an AWS access key in it"],
  "ssh-open": ["aws-ec2-ssh-not-open", 'ingress[0].cidrBlocks[0] is "0.0.0.0/0"'],
  "etcd-open": ["aws-ec2-cluster-ports-not-open", 'cidrIpv4 is "0.0.0.0/0"'],
  "network-without-flow-log": ["aws-ec2-vpc-flow-logs", 'aws:ec2/vpc:Vpc "main": the VPC has no flow log'],
  "cluster-on-the-internet": ["aws-eks-endpoint-private", 'vpcConfig.publicAccessCidrs[0] is "0.0.0.0/0"'],
  "role-for-everything": ["aws-iam-no-wildcard", "policy is a document whose statement 1 allows * on *"],
  "key-never-rotated": ["aws-kms-key-rotation", "enableKeyRotation is false"],
  "privileged-pod": [
    "kubernetes-pod-not-privileged",
    "spec.template.spec.containers[0].securityContext.privileged is true",
  ],
  "pod-on-the-node": ["kubernetes-pod-no-host-path", 'spec.template.spec.volumes[0].hostPath.path is "/"'],
  "image-of-somebody": ["kubernetes-image-registry", "docker.io/somebody/miner"],
  "role-with-wildcards": ["kubernetes-rbac-no-wildcards", 'rules[0].verbs[0] is "*"'],
  "administrator-of-everything": ["kubernetes-rbac-no-cluster-admin", 'roleRef.name is "cluster-admin"'],
  "state-without-protection": ["product-state-volume-protected", "the option protect is not set"],
  "two-members": ["product-state-quorum", 'etcd of "main" is run by 2 members'],
  "too-dear": ["product-cluster-cost-ceiling", "the monthly cost is about $"],
  "old-version": ["product-cluster-version-supported", 'version is "v1.27.9+rke2r1"'],
  "weak-key": ["product-ssh-key-strength", "rsaBits is 2048"],
};
const NAMES = Object.keys(EXPECTED);

let program: PolicedProgram;

beforeAll(async () => {
  program = await PolicedProgram.open();
});
afterAll(() => program.engine.close());

it("knows every bad program", () => {
  const files = readdirSync(join(programs, "bad", "programs")).map((file) => file.replace(".js", ""));
  expect(files.sort()).toEqual([...NAMES].sort());
  expect(files.length).toBeGreaterThanOrEqual(20);
});

it("stops each of them by the policy that is meant for it, and by no other", async () => {
  const waiting = [...NAMES];
  const found: Record<string, unknown> = {};
  // Two at a time: there are two cores, and each preview starts four processes.
  const worker = async (index: number): Promise<void> => {
    const folder = await program.prepare("bad", `bad-${index}`, { program: "none" }, `prod-${index}`);
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { code, stopped, shown } = await program.evaluate(folder, [
        "preview",
        "--config",
        `program=${name}`,
      ]);
      const message = EXPECTED[name]?.[1] ?? "";
      found[name] = { code, stopped, says: shown.includes(message) ? message : shown };
    }
  };
  await Promise.all([worker(0), worker(1)]);
  const expected = Object.entries(EXPECTED).map(([name, [policy, says]]) => [
    name,
    { code: 1, stopped: [policy], says },
  ]);
  expect(found).toEqual(Object.fromEntries(expected));
});
