import * as pulumi from "@pulumi/pulumi";
import { KIND_NAMES, KINDS, type KindName } from "../../api";
import { isSecret, MockGraph } from "../testing/mock-graph";
import { CustomResources, NodeLabels, Plugins, Rbac, Registries, Users } from ".";
import type { RegistryArgs, UserArgs } from "./args";
import catalogue from "./catalogue.json";
import { nodeLabelProblems, pluginProblems, rbacProblems, registryProblems, userProblems } from "./problems";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOwFe5W87Abu/SaapW03X4r98zjxPnQepO97fEkQsbeN jane@laptop";
const linesOf = (problems: readonly { path: string; message: string }[]): string[] =>
  problems.map(({ path, message }) => `${path}: ${message}`);
const typeOf = (kind: KindName): string => `kubernetes:fleetwright.dev/v1:${kind}`;

describe("the definitions of the kinds", () => {
  it("are all declared, and stay when they are no longer", async () => {
    const graph = await MockGraph.of(() => new CustomResources("kinds"));
    const found = graph.all("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition");
    expect(found.map(({ name }) => name).sort()).toEqual(
      KIND_NAMES.map((name) => `kinds-${KINDS[name].plural}`).sort(),
    );
    expect(found.every(({ isRetained }) => isRetained)).toBe(true);
  });

  it("go with their objects only when that is asked for", async () => {
    const graph = await MockGraph.of(() => new CustomResources("kinds", { retain: false }));
    const found = graph.all("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition");
    expect(found.some(({ isRetained }) => isRetained)).toBe(false);
  });
});

describe("users", () => {
  it("become one object each, applied by our field manager", async () => {
    const users: UserArgs[] = [{ name: "jane", sudo: true, sshKeys: [{ key: KEY }] }, { name: "joe" }];
    const graph = await MockGraph.of(() => new Users("users", { users, labels: { team: "a" } }));
    expect(graph.one(typeOf("User"), "users-jane").inputs).toMatchObject({
      metadata: {
        name: "jane",
        labels: { team: "a", "app.kubernetes.io/managed-by": "fleetwright" },
        annotations: { "pulumi.com/patchFieldManager": "fleetwright-program" },
      },
      spec: { name: "jane", sudo: true, sshKeys: [{ key: KEY }] },
    });
    expect(graph.all(typeOf("User"))).toHaveLength(2);
  });

  it.each<[string, UserArgs[], RegExp]>([
    ["a reserved login", [{ name: "root" }], /^users\[0\]\.name: found "root": .*reserved/],
    [
      "a malformed timestamp",
      [{ name: "jane", sshKeys: [{ key: KEY, notAfter: "soon" }] }],
      /^users\[0\]\.sshKeys\[0\]\.notAfter: /,
    ],
    [
      "two of one name",
      [{ name: "jane" }, { name: "jane" }],
      /^users\[1\]\.name: found "jane", which users\[0\] has too/,
    ],
    [
      "a property that is unknown",
      [{ name: "jane", shell: "/bin/zsh" } as UserArgs],
      /^users\[0\]\.shell: unknown setting/,
    ],
  ])("are refused with %s", (_, users, words) => {
    expect(linesOf(userProblems(users))).toEqual([expect.stringMatching(words)]);
  });

  it("are refused with all problems in one message, before anything is declared", async () => {
    const users = [{ name: "root" }, { name: "jane", sshKeys: [{ key: "x" }] }];
    await expect(MockGraph.of(() => new Users("users", { users }))).rejects.toThrow(
      /users\[0\]\.name: [^]*users\[1\]\.sshKeys\[0\]\.key: /,
    );
  });
});

describe("registries", () => {
  const github: RegistryArgs = { name: "github", provider: "github", endpoint: "ghcr.io" };

  it("have their credentials in a Secret that the Registry names", async () => {
    const credentials = { username: "robot", password: pulumi.secret("hush") };
    const graph = await MockGraph.of(
      () => new Registries("registries", { registries: [{ ...github, credentials }] }),
    );
    const secret = graph.one("kubernetes:core/v1:Secret", "registries-github-credentials");
    expect(secret.inputs).toMatchObject({
      metadata: { name: "registry-github", namespace: "fleetwright-system" },
      stringData: { username: "robot", password: "hush" },
    });
    expect(
      isSecret(secret.wrapped.stringData) ||
        isSecret(Reflect.get(secret.wrapped.stringData as object, "password")),
    ).toBe(true);
    const registry = graph.one(typeOf("Registry"), "registries-github");
    expect(registry.inputs.spec).toEqual({
      provider: "github",
      endpoint: "ghcr.io",
      credentials: { name: "registry-github", namespace: "fleetwright-system" },
    });
    expect(registry.dependencies).toContain(secret.urn);
  });

  it("show no credential outside of the Secret", async () => {
    const credentials = { username: "robot", password: "hush" };
    const graph = await MockGraph.of(
      () => new Registries("registries", { registries: [{ ...github, credentials }] }),
    );
    const others = graph.resources.filter(({ type }) => type !== "kubernetes:core/v1:Secret");
    expect(JSON.stringify(others)).not.toContain("hush");
  });

  it.each([
    ["no credentials", [github], /^registries\[0\]\.credentials: not set: .*credentials must name a Secret/],
    [
      "an endpoint with a scheme",
      [{ ...github, endpoint: "https://ghcr.io", credentials: { password: "x" } }],
      /^registries\[0\]\.endpoint: /,
    ],
    [
      "a name that no object can have",
      [{ ...github, name: "Git Hub", credentials: { password: "x" } }],
      /^registries\[0\]\.name: found "Git Hub"/,
    ],
  ])("are refused with %s", (_, registries, words) => {
    expect(linesOf(registryProblems(registries))).toEqual(
      expect.arrayContaining([expect.stringMatching(words)]),
    );
  });
});

describe("labels of nodes", () => {
  it("become objects whose names tell their keys apart", async () => {
    const args = { cluster: { Tier: "a", tier: "b" }, pools: { web: { disk: "nvme" } } };
    const graph = await MockGraph.of(() => new NodeLabels("labels", args));
    const names = graph.all(typeOf("ClusterLabel")).map(({ inputs }) => inputs.metadata as { name: string });
    expect(new Set(names.map(({ name }) => name)).size).toBe(2);
    expect(graph.one(typeOf("NodePoolLabel"), "labels-web.disk").inputs.spec).toEqual({
      pool: "web",
      key: "disk",
      value: "nvme",
    });
  });

  it("are refused with a value that no label can have", () => {
    const problems = nodeLabelProblems({ cluster: { tier: "a b" }, pools: { web: { "a b": "c" } } });
    expect(linesOf(problems)).toEqual([
      expect.stringMatching(/^cluster\.tier: found "a b": /),
      expect.stringMatching(/^pools\.web\["a b"\]: /),
    ]);
  });
});

describe("plugins", () => {
  it("that are bundled keep the values that are not given", async () => {
    const plugins = [{ name: "sample", bundled: "sample", values: { image: "example.com/x:1" } }];
    const graph = await MockGraph.of(() => new Plugins("plugins", { plugins }));
    expect(graph.one(typeOf("Plugin"), "plugins-sample").inputs.spec).toMatchObject({
      values: { ...catalogue.sample.values, image: "example.com/x:1" },
    });
  });

  it("can be bundled ones, with values of one's own", async () => {
    const plugins = [{ name: "metrics", bundled: "metrics-server", paused: true }];
    const graph = await MockGraph.of(() => new Plugins("plugins", { plugins }));
    const { spec } = graph.one(typeOf("Plugin"), "plugins-metrics").inputs;
    expect(spec).toMatchObject({ version: catalogue["metrics-server"].version, paused: true });
    expect(spec).not.toHaveProperty("bundled");
  });

  it.each([
    [
      "one that is not bundled",
      { name: "a", bundled: "b" },
      /^plugins\[0\]\.bundled: found "b": no such bundled plugin; use one of metrics-server/,
    ],
    ["no source", { name: "a", type: "b", version: "1.0.0" }, /^plugins\[0\]\.source: not set/],
  ])("are refused with %s", (_, plugin, words) => {
    expect(linesOf(pluginProblems([plugin]))).toEqual(expect.arrayContaining([expect.stringMatching(words)]));
  });
});

describe("roles and bindings", () => {
  const viewer = { name: "viewer", rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] };

  it("become one object each; a binding without a name is called by what it says", async () => {
    const bindings = [{ role: "viewer", user: "Jane@example.com", namespace: "shop" }];
    const graph = await MockGraph.of(() => new Rbac("rbac", { roles: [viewer], bindings }));
    expect(graph.one(typeOf("AuthorizationRole"), "rbac-role-viewer").inputs.spec).toEqual({
      rules: viewer.rules,
    });
    expect(
      graph.one(typeOf("AuthorizationRoleBinding"), "rbac-binding-jane-example-com-viewer-shop").inputs.spec,
    ).toEqual({ role: "viewer", user: "Jane@example.com", namespace: "shop" });
  });

  it.each([
    ["a rule without verbs", { roles: [{ name: "a", rules: [{ verbs: [] }] }] }, /^roles\[0\]\.rules\[0\]/],
    [
      "a binding for nobody",
      { bindings: [{ name: "a", role: "viewer" }] },
      /^bindings\[0\]\.user: .*exactly one/,
    ],
  ])("are refused with %s", (_, args, words) => {
    expect(linesOf(rbacProblems(args))).toEqual(expect.arrayContaining([expect.stringMatching(words)]));
  });
});
