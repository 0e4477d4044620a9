// For tests: people of a cluster, with the kubeconfigs that the command gave them.
import { readFile, writeFile } from "node:fs/promises";
import { load } from "js-yaml";
import { ApiClient, kubeconfigCredentials } from "../../controllers/runtime";
import { waitFor } from "../../test/harness/fault-proxy";
import type { PeopleCluster } from "./people-cluster";

/** A kubeconfig of the command. */
export interface PersonKubeconfig {
  clusters: unknown;
  users: { user: { exec: { args: string[]; env: { name: string; value: string }[] } } }[];
}

/** What tests do with people. */
export interface Persons {
  /** Gives a person access, and the path of their kubeconfig. */
  give: (user: string, name?: string) => Promise<string>;
  /** A kubeconfig with a token as it is. */
  withToken: (kubeconfig: string, token: string, name: string) => Promise<string>;
  /** What the kubeconfig renews with: the grant's name, and a kubeconfig of the grant's account. */
  renewalOf: (kubeconfig: string) => Promise<{ grant: string; file: string }>;
  /** A new token of jane's, as the exec plugin asks for it. */
  renewed: (kubeconfig: string, account?: string) => Promise<string>;
  /** Asks until it is refused. */
  refused: (kubeconfig: string) => Promise<void>;
  /** Asks until the API server agrees, so that it remembers the token. */
  isLetIn: (kubeconfig: string) => Promise<void>;
}

/** The people of a cluster, which may be started later. */
export function personsOf(cluster: () => PeopleCluster): Persons {
  async function give(user: string, name = user): Promise<string> {
    const output = cluster().file(`${name}.kubeconfig`);
    const { code, stderr } = await cluster().access(user, "--output", output);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return output;
  }

  async function withToken(kubeconfig: string, token: string, name: string): Promise<string> {
    const given = load(await readFile(kubeconfig, "utf8")) as PersonKubeconfig & Record<string, unknown>;
    const file = cluster().file(name);
    const users = [{ ...given.users[0], user: { token } }];
    await writeFile(file, JSON.stringify({ ...given, users }), { mode: 0o600 });
    return file;
  }

  async function renewalOf(kubeconfig: string): Promise<{ grant: string; file: string }> {
    const { users } = load(await readFile(kubeconfig, "utf8")) as PersonKubeconfig;
    const env = Object.fromEntries((users[0]?.user.exec.env ?? []).map(({ name, value }) => [name, value]));
    const grant = env.FLEETWRIGHT_GRANT ?? "";
    const file = cluster().file(`${grant}.renewal`);
    await writeFile(file, env.FLEETWRIGHT_RENEWAL ?? "", { mode: 0o600 });
    return { grant, file };
  }

  async function renewed(kubeconfig: string, account = "user-jane"): Promise<string> {
    const { grant, file } = await renewalOf(kubeconfig);
    const args = ["create", "token", account, "-n", "fleetwright-users", "--duration", "1h"];
    const { stdout, stderr } = await cluster().kubectl(
      file,
      ...args,
      "--bound-object-kind",
      "Secret",
      "--bound-object-name",
      grant,
    );
    expect(stderr).toBe("");
    return stdout.trim();
  }

  async function refused(kubeconfig: string): Promise<void> {
    const client = new ApiClient(kubeconfigCredentials(kubeconfig), { rateLimit: false });
    try {
      await waitFor("the refusal", async () =>
        client.request({ method: "GET", path: "/api/v1/namespaces/default/pods" }).then(
          () => false,
          (error: unknown) => /401|403|[Uu]nauthorized|[Ff]orbidden/.test(String(error)),
        ),
      );
    } finally {
      client.close();
    }
  }

  async function isLetIn(kubeconfig: string): Promise<void> {
    await waitFor(
      "the API server to agree",
      async () => (await cluster().kubectl(kubeconfig, "get", "pods", "-n", "default")).code === 0,
    );
  }
  return { give, withToken, renewalOf, renewed, isLetIn, refused };
}
