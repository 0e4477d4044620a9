// What the hub's controllers may do with the kinds that definitions make on the hub, kept exact as definitions come and go.
import { GROUP } from "../../../api";
import { joinRules, type PolicyRule } from "../../app/rules";
import { Applier, isNotFound, type ApiClient, type Informer } from "../../runtime";
import { CLUSTER_ROLES, type RbacObject } from "../kinds";
import type { Definition } from "./kinds";

/** The ClusterRole with these rights. Whoever installs the hub's controllers binds it to their account. */
export const SERVED_ROLE = "fleetwright:hub-served-kinds";
const LABELS = { "app.kubernetes.io/managed-by": "fleetwright", "fleetwright.dev/controller": "apis" };

/**
 * The rights that keeping this role needs: to write rights into it that the controllers do not have yet. It is this one role, made
 * of nothing but definitions that are on the hub; a rule for all kinds of all groups would be the other way.
 */
export const SERVED_ROLE_RULES: readonly PolicyRule[] = [
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles"],
    resourceNames: [SERVED_ROLE],
    verbs: ["get", "create", "patch", "escalate"],
  },
];

/** The rules for objects of these definitions: to place what is pinned, and to list what is stored. Pure. */
export function servedRules(definitions: readonly Definition[]): PolicyRule[] {
  return joinRules(
    definitions
      .filter(({ spec }) => spec.group !== GROUP)
      .flatMap(({ spec: { group, names } }) => [
        { apiGroups: [group], resources: [names.plural], verbs: ["get", "list", "watch", "patch"] },
        { apiGroups: [group], resources: [`${names.plural}/status`], verbs: ["patch"] },
      ]),
  );
}

/** Keeps the role. */
export class ServedRights {
  readonly #client: ApiClient;
  readonly #applier: Applier;
  readonly #definitions: Informer<Definition>;

  constructor(client: ApiClient, definitions: Informer<Definition>) {
    this.#client = client;
    this.#applier = new Applier(client, "fleetwright-apis");
    this.#definitions = definitions;
  }

  /** Brings the role to what the definitions ask for. */
  async reconcile(signal: AbortSignal): Promise<void> {
    const rules = servedRules(this.#definitions.list());
    const role: RbacObject = { metadata: { name: SERVED_ROLE, labels: LABELS }, rules };
    const live = await this.#client.get(CLUSTER_ROLES, role.metadata, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    await this.#applier.apply(CLUSTER_ROLES, role, { live, force: true, signal });
  }
}
