// A control plane with people in it for tests: our kinds, the closed namespace, a coordinator, an identity provider, and the
// command `access` as an administrator runs it.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { USERS_NAMESPACE } from "../../api";
import { PEOPLE_POLICIES } from "../../components/agent/people-policies";
import { authenticationConfiguration } from "../../components/cluster/identity/authentication";
import { ROLE_BINDINGS, ROLES, USERS } from "../../controllers/coordinator/kinds";
import { NAMESPACES } from "../../controllers/coordinator/native-resources";
import { ensureTools } from "../../sandbox/toolchain";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { startIssuer, type Issuer } from "../../test/harness/oidc";
import { POLICY_BINDINGS } from "../resources";

/** What a program printed, and how it ended. */
export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/** A cluster with people in it. */
export interface PeopleCluster {
  fixture: CoordinatorFixture;
  issuer: Issuer;
  /** The client that the provider's tokens are made for. */
  clientId: string;
  /** Makes a file name that nobody else has. */
  file(name: string): string;
  /** Runs `npm run access` with the administrator's kubeconfig. */
  access(...args: string[]): Promise<Result>;
  /** Runs kubectl with a kubeconfig. */
  kubectl(kubeconfig: string, ...args: string[]): Promise<Result>;
  /** Runs sh, with what `file` names before all else on its PATH. */
  shell(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Result>;
  addUser(name: string, teams?: readonly string[]): Promise<void>;
  addRole(name: string, rules: readonly object[]): Promise<void>;
  bind(name: string, spec: { role: string; user?: string; team?: string; namespace?: string }): Promise<void>;
  close(): Promise<void>;
}

const ROOT = path.join(__dirname, "..", "..");
const CLIENT_ID = "kubernetes";

/** Starts everything. */
export async function startPeopleCluster(): Promise<PeopleCluster> {
  const { kubectl } = await ensureTools(["kubectl"]);
  const issuer = await startIssuer();
  const oidc = {
    issuer: issuer.url,
    clientId: CLIENT_ID,
    usernameClaim: "preferred_username",
    groupsClaim: "groups",
    ca: issuer.authority,
    requiredClaims: { company: "acme" },
  };
  const dir = await mkdtemp(path.join(tmpdir(), "fleetwright-people-"));
  const fixture = await startCoordinatorFixture({
    components: { scheduler: false },
    jwt: authenticationConfiguration(oidc).jwt,
  });
  const { direct } = fixture;
  await closeNamespace(fixture);
  await fixture.start({ controllers: "users,authorization" });
  const env = {
    PATH: `${path.dirname(kubectl.path)}:${process.env.PATH ?? ""}`,
    HOME: dir,
  };
  return {
    fixture,
    issuer,
    clientId: CLIENT_ID,
    file: (name) => path.join(dir, name),
    access: (...args) =>
      run(
        process.execPath,
        [
          "--import",
          "tsx",
          path.join(ROOT, "access", "cli.ts"),
          "--kubeconfig",
          fixture.plane.kubeconfig,
          ...args,
        ],
        env,
      ),
    kubectl: (kubeconfig, ...args) => run(kubectl.path, ["--kubeconfig", kubeconfig, ...args], env),
    shell: (args, more) => run("sh", args, { ...env, ...more, PATH: `${dir}:${env.PATH}` }),
    async addUser(name, teams = []) {
      await direct.request({
        method: "POST",
        path: "/apis/fleetwright.dev/v1/users",
        body: {
          apiVersion: "fleetwright.dev/v1",
          kind: USERS.kind,
          metadata: { name },
          spec: { name, teams },
        },
      });
    },
    async addRole(name, rules) {
      await direct.request({
        method: "POST",
        path: "/apis/fleetwright.dev/v1/authorizationroles",
        body: { apiVersion: "fleetwright.dev/v1", kind: ROLES.kind, metadata: { name }, spec: { rules } },
      });
    },
    async bind(name, spec) {
      await direct.create(ROLE_BINDINGS, { metadata: { name }, spec });
    },
    async close() {
      await fixture.close();
      await issuer.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Puts up the policies as the stack does, and waits until the API server minds them. */
async function closeNamespace({ direct }: CoordinatorFixture): Promise<void> {
  for (const { name, spec } of PEOPLE_POLICIES) {
    const apiVersion = "admissionregistration.k8s.io/v1";
    await direct.request({
      method: "POST",
      path: `/apis/${apiVersion}/validatingadmissionpolicies`,
      body: { apiVersion, kind: "ValidatingAdmissionPolicy", metadata: { name }, spec },
    });
    await direct.request({
      method: "POST",
      path: `/apis/${apiVersion}/${POLICY_BINDINGS.plural}`,
      body: {
        apiVersion,
        kind: POLICY_BINDINGS.kind,
        metadata: { name },
        spec: { policyName: name, validationActions: ["Deny"] },
      },
    });
  }
  await direct.create(NAMESPACES, { metadata: { name: USERS_NAMESPACE } });
  await waitFor("the policies to hold", async () => {
    const answer = await direct
      .request({
        method: "POST",
        path: `/api/v1/namespaces/${USERS_NAMESPACE}/secrets`,
        query: { dryRun: "All" },
        body: {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "probe", annotations: { "kubernetes.io/service-account.name": "default" } },
          type: "kubernetes.io/service-account-token",
        },
      })
      .then(String, String);
    return answer.includes("fleetwright-people-secrets");
  });
}

async function run(command: string, args: readonly string[], env: Record<string, string>): Promise<Result> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, [...args], { env, cwd: ROOT });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code = 1, stdout = "", stderr = String(error) } = error as Partial<Result>;
    return { code, stdout, stderr };
  }
}
