// The RoleBindings and ClusterRoleBindings that stand for ours: what is seen of them, and who may write which.
import { listInPages, type ApiClient, type Informer, type Resource } from "../../runtime";
import { deleteOwn, isOwn, ownSelector } from "../../app/ownership";
import { CONTROLLER, ownerOf, type Place } from "./plan";
import type { NativeBinding } from "./rbac-resources";

const PAGE_SIZE = 500;

/** The clients and informers behind native bindings. */
export interface NativeBindingSources {
  /** For questions. */
  reader: ApiClient;
  /** Acts as the account that gives roles in single namespaces. */
  inNamespaces: ApiClient;
  /** Acts as the account that gives roles everywhere and in protected namespaces: it holds less. */
  everywhere: ApiClient;
  clusterBindings: Informer<NativeBinding>;
  roleBindings: Informer<NativeBinding>;
}

/** Native bindings of both kinds. */
export class NativeBindings {
  readonly #sources: NativeBindingSources;

  constructor(sources: NativeBindingSources) {
    this.#sources = sources;
    for (const informer of this.#informers) {
      informer.addIndex("stands-for", ({ metadata }) => ownerOf(metadata.annotations));
      informer.addIndex("role", ({ roleRef }) => [roleRef.name]);
    }
  }

  get #informers(): readonly Informer<NativeBinding>[] {
    const { clusterBindings, roleBindings } = this.#sources;
    return [clusterBindings, roleBindings];
  }

  /** Those that stand for one of ours, as far as they were seen. */
  standingFor(name: string): NativeBinding[] {
    return this.#informers.flatMap((informer) => informer.byIndex("stands-for", name));
  }

  /** Whether one was seen that gives a ClusterRole. */
  seenOf(clusterRole: string): boolean {
    return this.#informers.some((informer) => informer.byIndex("role", clusterRole).length > 0);
  }

  /** Those of ours that give a ClusterRole, as the server has them now: our own last write may not have been seen yet. */
  async listOf(clusterRole: string, signal: AbortSignal): Promise<NativeBinding[]> {
    const { reader } = this.#sources;
    const found: NativeBinding[] = [];
    for (const { resource } of this.#informers) {
      let items: NativeBinding[] = [];
      await listInPages(
        reader,
        resource,
        { labelSelector: ownSelector(CONTROLLER) },
        {
          page: (page) => items.push(...page.filter(({ roleRef }) => roleRef.name === clusterRole)),
          restart: () => (items = []),
        },
        { pageSize: PAGE_SIZE, signal },
      );
      found.push(...items.filter((live) => isOwn(live, CONTROLLER)));
    }
    return found;
  }

  /** The kind of a wanted one, and the live one of its name, if it was seen. */
  of({ metadata: { name, namespace } }: NativeBinding): {
    resource: Resource<NativeBinding>;
    found: NativeBinding | undefined;
  } {
    const { clusterBindings, roleBindings } = this.#sources;
    const informer = namespace === undefined ? clusterBindings : roleBindings;
    const found = informer.get(namespace === undefined ? name : `${namespace}/${name}`);
    return { resource: informer.resource, found };
  }

  /** Who gives a role in a place. */
  writerFor(place: Place): ApiClient {
    return place === "namespace" ? this.#sources.inNamespaces : this.#sources.everywhere;
  }

  /** Deletes one that is still as it was seen. */
  async delete(live: NativeBinding, signal: AbortSignal): Promise<void> {
    const { everywhere } = this.#sources;
    await deleteOwn(everywhere, this.of(live).resource, live, CONTROLLER, signal);
  }
}
