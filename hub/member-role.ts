// `npm run hub -- member-role`: the rights that a syncer needs in its cluster, by the kinds that can be placed.
import { dump } from "js-yaml";
import { SYSTEM_NAMESPACE } from "../api";
import { rolesOf } from "../controllers/syncer/role";
import { kindsIn } from "./install";

/** What `member-role --help` prints. */
export const MEMBER_ROLE_HELP = `Prints the ClusterRole that a syncer needs in its cluster, for a service account of your choice.

Usage: npm run -s hub -- member-role | kubectl apply -f -

  --kinds LIST        kinds of definitions that it places as well, as resource.group, separated by commas`;

/** Prints the role. */
export function memberRole(argv: string[]): Promise<void> {
  const kinds = kindsIn(argv[0] === "--kinds" ? argv[1] : undefined);
  const [role] = rolesOf(SYSTEM_NAMESPACE, kinds);
  process.stdout.write(dump(role, { lineWidth: -1, noRefs: true }));
  return Promise.resolve();
}
