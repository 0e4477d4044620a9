import type { IamArgs } from "./iam-settings";
import { MockGraph } from "../testing/mock-graph";
import { type ClusterArgs, ClusterKind } from "./args";
import { Cluster } from "./cluster";
import { clusterProblems } from "./problems";

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nlogin-key\n-----END OPENSSH PRIVATE KEY-----\n";
const boundary = "arn:aws:iam::123456789012:policy/boundary";
const kinds: [ClusterKind, ClusterArgs][] = [
  [
    ClusterKind.Rke2,
    {
      version: "v1.35.7+rke2r1",
      selfManaged: { login: { privateKey: KEY }, etcdSnapshots: { bucket: "backups" } },
    },
  ],
  [ClusterKind.Rke, { version: "v1.32.7-rancher1-1", selfManaged: { login: { privateKey: KEY } } }],
  [ClusterKind.Hosted, { version: "1.35" }],
];
const graphOf = (kind: ClusterKind, args: ClusterArgs): Promise<MockGraph> =>
  MockGraph.of(() => new Cluster("main", { ...args, kind, pools: [{ name: "web" }] }));

test.each(kinds)("every role of a cluster of kind %s has the boundary and the path", async (kind, args) => {
  const graph = await graphOf(kind, { ...args, iam: { permissionsBoundary: boundary, path: "/platform/" } });
  const roles = graph.all("aws:iam/role:Role");
  expect(roles.length).toBeGreaterThanOrEqual(2);
  for (const { name, inputs } of roles)
    expect([name, inputs.permissionsBoundary, inputs.path]).toEqual([name, boundary, "/platform/"]);
  for (const { name, inputs } of graph.all("aws:iam/instanceProfile:InstanceProfile"))
    expect([name, inputs.path]).toEqual([name, "/platform/"]);
});

test.each(kinds)("without the settings nothing is said about them with kind %s", async (kind, args) => {
  for (const { inputs } of (await graphOf(kind, args)).all("aws:iam/role:Role")) {
    expect(inputs).not.toHaveProperty("permissionsBoundary");
    expect(inputs).not.toHaveProperty("path");
  }
});

test.each([
  [{ permissionsBoundary: "boundary" }, "iam.permissionsBoundary", /use the ARN of a policy/],
  [{ path: "platform" }, "iam.path", /a slash at both ends/],
  [{ rolePath: "/x/" }, "iam.rolePath", /unknown setting/],
])("%j is refused", (iam, path, message) => {
  const [[kind, args]] = kinds as [[ClusterKind, ClusterArgs]];
  expect(clusterProblems("main", { ...args, kind, iam: iam as IamArgs })).toEqual([
    { path, message: expect.stringMatching(message) as string },
  ]);
});
