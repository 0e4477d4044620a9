import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { load } from "js-yaml";
import { waitFor } from "../test/harness/fault-proxy";
import { ensureTools } from "../sandbox/toolchain";
import { ForwardProxy } from "../controllers/runtime/testing/forward-proxy";
import { freePort } from "../lib/port";
import { USERS } from "../controllers/coordinator/kinds";
import { Grants } from "./grants";
import { startPeopleCluster, type PeopleCluster, type Result } from "./testing/people-cluster";
import { personsOf, type PersonKubeconfig } from "./testing/persons";

const PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const DEPLOYMENTS = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "patch"] };
const NODES = { apiGroups: [""], resources: ["nodes"], verbs: ["list"] };
const CLAIMS = { aud: "kubernetes", company: "acme" };

let cluster: PeopleCluster;
beforeAll(async () => {
  cluster = await startPeopleCluster();
  await cluster.addRole("pods", [PODS]);
  await cluster.addRole("deployments", [DEPLOYMENTS]);
  await cluster.addRole("nodes", [NODES]);
  await cluster.addUser("jane", ["platform"]);
  await cluster.addUser("max");
  await cluster.bind("jane-pods", { role: "pods", user: "jane" });
  await cluster.bind("platform-deployments", { role: "deployments", team: "platform", namespace: "default" });
  await cluster.bind("others-nodes", { role: "nodes", team: "others" });
});
afterAll(() => cluster.close());

const { give, withToken, renewalOf, renewed, isLetIn, refused } = personsOf(() => cluster);

/** The rows of `kubectl auth can-i --list` beyond those of a person without any role. */
async function rights(kubeconfig: string): Promise<string[]> {
  const rows = async (file: string): Promise<string[]> => {
    const { stdout } = await cluster.kubectl(
      file,
      "auth",
      "can-i",
      "--list",
      "--no-headers",
      "-n",
      "default",
    );
    return stdout
      .split("\n")
      .map((row) => row.trim().replace(/\s+/g, " "))
      .filter((row) => row !== "");
  };
  const plain = await rows(await cluster.fixture.plane.kubeconfigFor("somebody"));
  return (await rows(kubeconfig)).filter((row) => !plain.includes(row)).sort();
}

// What Kubernetes gives to every service account: the keys by which its own tokens are checked.
const OF_ACCOUNTS = [
  "[/.well-known/openid-configuration/] [] [get]",
  "[/.well-known/openid-configuration] [] [get]",
  "[/openid/v1/jwks/] [] [get]",
  "[/openid/v1/jwks] [] [get]",
];
const DECLARED = ["deployments.apps [] [] [get patch]", "pods [] [] [get list]"];

describe("a person with a kubeconfig of the command", () => {
  let jane: string;
  beforeAll(async () => {
    jane = await give("jane");
    await isLetIn(jane);
  });

  test("has exactly the rights of their User and their teams", async () => {
    expect(await rights(jane)).toEqual([...OF_ACCOUNTS, ...DECLARED].sort());
  });

  test("has a file that nobody else can read, and never has a secret in a command line", async () => {
    expect((await stat(jane)).mode & 0o777).toBe(0o600);
    const { kubectl } = await ensureTools(["kubectl"]);
    const log = cluster.file("arguments");
    const spy = cluster.file("kubectl");
    await writeFile(spy, `#!/bin/sh\necho "$@" >> ${log}\nexec ${kubectl.path} "$@"\n`);
    await chmod(spy, 0o700);
    const { users } = load(await readFile(jane, "utf8")) as PersonKubeconfig;
    const { args = [], env = [] } = users[0]?.user.exec ?? {};
    const { file } = await renewalOf(jane);
    const secret = (JSON.parse(await readFile(file, "utf8")) as { users: [{ user: { token: string } }] })
      .users[0].user.token;
    const answer = await cluster.shell(args, {
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      XDG_CACHE_HOME: cluster.file("another-cache"),
    });
    expect(JSON.parse(answer.stdout)).toMatchObject({ kind: "ExecCredential" });
    expect(await readFile(log, "utf8")).toContain("create token user-jane");
    expect(await readFile(log, "utf8")).not.toContain(secret);
    expect(args.join(" ")).not.toContain(secret);
  });

  test("has a token of an hour that cannot make another", async () => {
    const token = await renewed(jane);
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
      exp: number;
      iat: number;
    };
    expect(claims.exp - claims.iat).toBe(3600);
    const file = await withToken(jane, token, "jane-once");
    const { stderr } = await cluster.kubectl(file, "create", "token", "user-jane", "-n", "fleetwright-users");
    expect(stderr).toMatch(/forbidden/i);
  });

  test("renews only tokens of their own that end with the grant", async () => {
    const other = (await renewalOf(await give("jane", "jane-second"))).grant;
    const { grant, file } = await renewalOf(jane);
    const token = async (account: string, ...args: string[]): Promise<Result> =>
      cluster.kubectl(file, "create", "token", account, "-n", "fleetwright-users", ...args);
    const bound = (name: string): string[] => ["--bound-object-kind", "Secret", "--bound-object-name", name];
    const refused: [string, string[]][] = [
      ["user-jane", []],
      ["user-jane", bound(other)],
      ["user-jane", [...bound(grant), "--duration", "2h"]],
      ["user-max", bound(grant)],
      [grant, bound(grant)],
      ["default", bound(grant)],
    ];
    for (const [account, args] of refused)
      expect([account, args, (await token(account, ...args)).stderr]).toEqual([
        account,
        args,
        expect.stringMatching(/forbidden/i),
      ]);
    expect((await token("user-jane", ...bound(grant))).code).toBe(0);
    for (const what of [
      ["get", "secrets"],
      ["get", "pods"],
      ["get", "serviceaccounts"],
    ])
      expect((await cluster.kubectl(file, ...what, "-n", "fleetwright-users")).stderr).toMatch(/forbidden/i);
  });

  test("is in the list, with the time of the end", async () => {
    const { stdout } = await cluster.access("--list", "--json", "jane");
    const grants = JSON.parse(stdout) as { user: string; name: string; since: string; expires: string }[];
    expect(grants).toHaveLength(2);
    expect(grants[0]).toMatchObject({ user: "jane", name: (await renewalOf(jane)).grant });
    const [first] = grants;
    const days = (Date.parse(first?.expires ?? "") - Date.parse(first?.since ?? "")) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    expect((await cluster.access("--list")).stdout).toMatch(/^USER +SINCE +EXPIRES +GRANT\njane /);
  });

  test("is refused after a revocation, also by a token that was renewed just before", async () => {
    const before = await withToken(jane, await renewed(jane), "jane-before");
    const { file } = await renewalOf(jane);
    // From now on the API server remembers that the token is good.
    await isLetIn(before);
    const grants = new Grants(cluster.fixture.direct, new AbortController().signal);
    const [, ended] = await Promise.all([refused(before), grants.revoke("jane")]);
    expect(ended).toHaveLength(2);
    const args = ["create", "token", "user-jane", "-n", "fleetwright-users"];
    expect((await cluster.kubectl(file, ...args)).stderr).toMatch(
      /Unauthorized|must be logged in|forbidden/i,
    );
    expect((await cluster.access("--list")).stdout).toBe("Nobody was given access.\n");
  });

  test("comes in again by a new grant, and the tokens of the old one stay refused", async () => {
    const again = await give("jane", "jane-again");
    await isLetIn(again);
    const old = await cluster.kubectl(cluster.file("jane-before"), "get", "pods", "-n", "default");
    expect(old.stderr).toMatch(/Unauthorized|must be logged in/);
    const { stderr } = await cluster.access("--revoke", "jane");
    expect(stderr).toContain("1 grant of jane ended; no token of theirs has any right");
    await refused(again);
  });
});

describe("a person of an identity provider", () => {
  const login = async (claims: object, name: string): Promise<string> => {
    const any = await cluster.fixture.plane.kubeconfigFor("somebody");
    return withToken(any, cluster.issuer.token({ ...CLAIMS, ...claims }), name);
  };
  const whoami = async (kubeconfig: string): Promise<{ username: string; groups: string[] }> => {
    const { stdout, stderr } = await cluster.kubectl(kubeconfig, "auth", "whoami", "-o", "json");
    if (stdout === "") throw new Error(stderr);
    return (JSON.parse(stdout) as { status: { userInfo: { username: string; groups: string[] } } }).status
      .userInfo;
  };

  test("has exactly the rights of the User of that name and its teams", async () => {
    const jane = await login({ preferred_username: "jane" }, "oidc-jane");
    await isLetIn(jane);
    expect(await rights(jane)).toEqual(DECLARED);
  });

  test("has those of the teams that the provider names", async () => {
    const guest = await login({ preferred_username: "guest", groups: ["others"] }, "oidc-guest");
    expect(await rights(guest)).toEqual(["nodes [] [] [list]"]);
  });

  test.each([
    ["system:admin", ["system:masters"]],
    ["system:serviceaccount:fleetwright-users:user-jane", ["system:serviceaccounts"]],
    ["kube-apiserver", ["system:nodes"]],
  ])("is never Kubernetes' own, whatever the claims say: %s", async (name, groups) => {
    const file = await login({ preferred_username: name, groups }, "oidc-system");
    expect(await whoami(file)).toMatchObject({
      username: `fleetwright.dev/user:${name}`,
      groups: [...groups.map((group) => `fleetwright.dev/team:${group}`), "system:authenticated"],
    });
    expect(await rights(file)).toEqual([]);
  });

  test.each([
    ["for another client", { aud: "another" }],
    ["of another company", { company: "evil" }],
    ["that has expired", { exp: 1000 }],
    ["of another provider", { iss: "https://example.com" }],
    ["without a name", { preferred_username: undefined }],
  ])("is refused with a token %s", async (_, claims) => {
    const file = await login({ preferred_username: "jane", ...claims }, "oidc-refused");
    await expect(whoami(file)).rejects.toThrow(/Unauthorized|must be logged in/);
  });
});

describe("where the administrator's kubeconfig leads through a tunnel, as behind a bastion", () => {
  let proxy: ForwardProxy;
  let admin: string;
  let way: string;
  let closed: string;
  beforeAll(async () => {
    const text = await readFile(cluster.fixture.plane.kubeconfig, "utf8");
    const config = load(text) as { clusters: { cluster: { server: string } }[] };
    const { hostname, port } = new URL(config.clusters[0]?.cluster.server ?? "");
    proxy = new ForwardProxy({ host: hostname, port: Number(port) });
    way = (await proxy.listen()).socks;
    closed = `socks5://127.0.0.1:${await freePort()}`;
    const server = `https://${hostname}:${await freePort()}`;
    const through = async (url: string, name: string): Promise<string> => {
      const clusters = config.clusters.map((one) => ({
        ...one,
        cluster: { ...one.cluster, server, "proxy-url": url },
      }));
      await writeFile(cluster.file(name), JSON.stringify({ ...config, clusters }), { mode: 0o600 });
      return cluster.file(name);
    };
    admin = await through(way, "admin-tunnel");
    closed = await through(closed, "admin-closed");
    await cluster.addUser("tess");
    await cluster.bind("tess-pods", { role: "pods", user: "tess" });
  });
  afterAll(() => proxy.close());

  test("the command goes through it, gives a kubeconfig that does, and says what the person has to do", async () => {
    const output = cluster.file("tess.kubeconfig");
    const { code, stderr } = await cluster.access("--kubeconfig", admin, "tess", "--output", output);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(
      `It goes through a tunnel at ${way}, which has to be open on the machine of tess`,
    );
    expect(stderr).toContain("npm run tunnel");
    const { code: seen, stderr: why } = await cluster.kubectl(output, "get", "pods", "-n", "default");
    expect({ seen, why }).toMatchObject({ seen: 0 });
  });

  test("--direct leaves it out, for those who are inside the network", async () => {
    const { stdout, stderr } = await cluster.access("--kubeconfig", admin, "tess", "--direct");
    expect(stdout).toContain("kind: Config");
    expect(stdout).not.toContain("proxy-url");
    expect(stderr).not.toContain("tunnel");
  });

  test("where the tunnel is not open, the message says how to open it", async () => {
    const { code, stderr } = await cluster.access("--kubeconfig", closed, "tess");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/goes through a tunnel at socks5:.*: name the cluster by --stack, which opens it/);
  });
});

test("a person whose User is deleted is refused, by token and by the identity provider", async () => {
  await cluster.addUser("leaver");
  await cluster.bind("leaver-pods", { role: "pods", user: "leaver" });
  const leaver = await give("leaver");
  const token = await withToken(leaver, await renewed(leaver, "user-leaver"), "leaver-token");
  const oidc = await withToken(
    leaver,
    cluster.issuer.token({ ...CLAIMS, preferred_username: "leaver" }),
    "leaver-oidc",
  );
  await isLetIn(token);
  await isLetIn(oidc);
  await cluster.fixture.direct.delete(USERS, { name: "leaver" });
  await Promise.all([refused(token), refused(oidc)]);
  // What the grant was made of goes with the account, by Kubernetes' own garbage collection.
  await waitFor("the grant to go", async () =>
    (await cluster.access("--list", "leaver")).stdout.startsWith("Nobody"),
  );
});

test("nobody but an administrator makes tokens or Secrets in the namespace, whatever their roles", async () => {
  const { plane, direct } = cluster.fixture;
  await direct.request({
    method: "POST",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "test-tokens" },
      rules: [
        {
          apiGroups: [""],
          resources: ["serviceaccounts/token", "secrets"],
          verbs: ["create", "patch", "update"],
        },
      ],
    },
  });
  await direct.request({
    method: "POST",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "test-tokens" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "test-tokens" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mallory" }],
    },
  });
  const mallory = await plane.kubeconfigFor("mallory");
  await waitFor(
    "mallory's rights",
    async () => (await cluster.kubectl(mallory, "create", "token", "default", "-n", "default")).code === 0,
  );
  const token = await cluster.kubectl(mallory, "create", "token", "user-jane", "-n", "fleetwright-users");
  // Two policies refuse it; which of them is named is by chance.
  expect(token.stderr).toMatch(/fleetwright-(people-tokens|protected-namespaces)/);
  const secret = await cluster.kubectl(
    mallory,
    "create",
    "secret",
    "generic",
    "mine",
    "-n",
    "fleetwright-users",
  );
  expect(secret.stderr).toMatch(/fleetwright-(people-secrets|protected-namespaces)/);
  expect(
    (await cluster.kubectl(plane.kubeconfig, "create", "token", "user-jane", "-n", "fleetwright-users")).code,
  ).toBe(0);
});

test.each([
  [["absent"], 'There is no User "absent" in this cluster'],
  [["jane", "--for", "2y"], '--for is "2y": give hours or days'],
  [["jane", "max"], "name one User at a time"],
  [
    ["jane", "--context", "nowhere"],
    'The kubeconfig has no context "nowhere": use one of fleetwright-sandbox',
  ],
])("what is wrong with a command is said with the fix: %j", async (args, says) => {
  const { code, stderr } = await cluster.access(...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(says);
});

test("who may not give access hears why", async () => {
  const kubeconfig = await cluster.fixture.plane.kubeconfigFor("somebody");
  const { stderr } = await cluster.access("--kubeconfig", kubeconfig, "jane");
  expect(stderr).toContain("Only an administrator of the cluster gives access");
});
