// How soon people are out: the bar of five seconds, on a machine that has nothing else to do. That they are is tested by access.test.ts.
import { USERS } from "../controllers/coordinator/kinds";
import { Grants } from "./grants";
import { startPeopleCluster, type PeopleCluster } from "./testing/people-cluster";
import { personsOf } from "./testing/persons";

const BAR_MS = 5000;
const ROUNDS = 5;
const PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

let cluster: PeopleCluster;
const { give, withToken, renewed, isLetIn, refused } = personsOf(() => cluster);
beforeAll(async () => {
  cluster = await startPeopleCluster();
  await cluster.addRole("pods", [PODS]);
});
afterAll(() => cluster.close());

/** How long a kubeconfig that is just in use is let in, in milliseconds, once something is done about it. */
async function timeToRefusal(kubeconfigs: readonly string[], end: () => Promise<unknown>): Promise<number> {
  for (const kubeconfig of kubeconfigs) await isLetIn(kubeconfig);
  const began = performance.now();
  await Promise.all([...kubeconfigs.map((kubeconfig) => refused(kubeconfig)), end()]);
  return performance.now() - began;
}

test.each(Array.from({ length: ROUNDS }, (_, index) => `round-${index}`))(
  "whose grants are revoked is refused within five seconds, and whose User is deleted, by token and by the identity provider: %s",
  async (name) => {
    await cluster.addUser(name);
    await cluster.bind(`${name}-pods`, { role: "pods", user: name });
    const token = async (kubeconfig: string, file: string): Promise<string> =>
      withToken(kubeconfig, await renewed(kubeconfig, `user-${name}`), file);
    const first = await give(name);
    const grants = new Grants(cluster.fixture.direct, new AbortController().signal);
    const revoked = await timeToRefusal([await token(first, `${name}-first`)], () => grants.revoke(name));
    const second = await give(name, `${name}-again`);
    const claims = { aud: "kubernetes", company: "acme", preferred_username: name };
    const deleted = await timeToRefusal(
      [
        await token(second, `${name}-second`),
        await withToken(second, cluster.issuer.token(claims), `${name}-oidc`),
      ],
      () => cluster.fixture.direct.delete(USERS, { name }),
    );
    console.log(`${name}: revoked ${revoked.toFixed(0)} ms, deleted ${deleted.toFixed(0)} ms`);
    expect(Math.max(revoked, deleted)).toBeLessThan(BAR_MS);
  },
);
