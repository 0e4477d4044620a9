import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient } from "../../../controlplane/api";
import { errorMessage } from "../../../../lib/failure";
import { listAt, textAt } from "../../../../lib/json";
import type { EtcdClient } from "./etcd-client";
import { log } from "./log";
import { voterCondition, type Member, type MemberIdentity } from "./member";
import { passwordSecret } from "./node-password";
import type { Settings } from "./settings";

const TICK_MS = 1500;
/** A learner that does not catch up in this time is thrown out. */
const STALL_MS = 5 * 60_000;

const NODE_NAME = "etcd.rke2.cattle.io/node-name";
const NODE_ADDRESS = "etcd.rke2.cattle.io/node-address";
const REMOVE = "etcd.rke2.cattle.io/remove";
const REMOVED = "etcd.rke2.cattle.io/removed-node-name";
const MERGE = "application/merge-patch+json";
/** Merges lists such as conditions by their keys. */
const STRATEGIC = "application/strategic-merge-patch+json";

/**
 * What RKE2's member controllers do: promotes learners that have caught up, removes the members of nodes that were
 * deleted or that ask for it, says of every server whether its etcd votes, and forgets the passwords of deleted nodes. Only the server with etcd's leader acts.
 */
export class MemberController {
  readonly #learning = new Map<string, number>();
  /** Nodes seen so far, with the etcd member of each server. */
  readonly #seen = new Map<string, string | undefined>();

  constructor(
    private readonly settings: Settings,
    private readonly identity: MemberIdentity,
    private readonly etcd: EtcdClient,
    private readonly api: () => ApiClient | undefined,
  ) {}

  /** Looks for as long as the server runs. */
  async run(): Promise<never> {
    for (;;) {
      for (const part of [() => this.#learners(), () => this.#nodes()])
        await part().catch((error: unknown) => log("debug", `members: ${errorMessage(error)}`));
      await pause(TICK_MS);
    }
  }

  async #leads(): Promise<boolean> {
    const { leader, memberId } = await this.etcd.status();
    return leader === memberId;
  }

  async #learners(): Promise<void> {
    if (!(await this.#leads())) return;
    const learners = (await this.etcd.members(true)).filter(({ learner }) => learner);
    for (const { id, name } of learners) {
      const since = this.#learning.get(id) ?? Date.now();
      this.#learning.set(id, since);
      try {
        // One that never started cannot have caught up.
        if (name !== "") await this.etcd.promote(id);
        if (name !== "") log("info", `Promoted learner ${name}`);
      } catch (error) {
        log("debug", `learner ${name}: ${errorMessage(error)}`);
      }
      if (Date.now() - since < STALL_MS) continue;
      log("warning", `Removing learner ${name}: it made no progress for ${STALL_MS / 60_000} minutes`);
      await this.etcd.remove(id);
      this.#learning.delete(id);
    }
  }

  async #nodes(): Promise<void> {
    const api = this.api();
    if (api === undefined) return;
    const nodes = listAt(await api.get("/api/v1/nodes"), "items");
    const present = new Set(nodes.map((node) => textAt(node, "metadata", "name") ?? ""));
    for (const node of nodes) {
      const name = textAt(node, "metadata", "name") ?? "";
      if (name === this.settings.nodeName) await this.#describeSelf(api, node);
      this.#seen.set(name, textAt(node, "metadata", "annotations", NODE_NAME));
    }
    if (!(await this.#leads())) return;
    for (const [name, member] of this.#seen) {
      if (present.has(name)) continue;
      if (member !== undefined) await this.#removeMember(member);
      await api.send("DELETE", `/api/v1/namespaces/kube-system/secrets/${passwordSecret(name)}`);
      this.#seen.delete(name);
    }
    for (const node of nodes) await this.#obeyRemoval(api, node);
    const members = await this.etcd.members(true);
    for (const node of nodes) await this.#describeMember(api, node, members);
  }

  /** Says on a server's node whether its etcd votes. */
  async #describeMember(api: ApiClient, node: unknown, members: readonly Member[]): Promise<void> {
    const own = textAt(node, "metadata", "annotations", NODE_NAME);
    const member = members.find(({ name }) => name !== "" && name === own);
    if (member === undefined) return;
    const conditions = listAt(node, "status", "conditions");
    const known = conditions.find((condition) => textAt(condition, "type") === "EtcdIsVoter");
    const condition = voterCondition(member.learner);
    if (textAt(known, "status") === condition.status) return;
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    await api.send(
      "PATCH",
      `/api/v1/nodes/${textAt(node, "metadata", "name") ?? ""}/status`,
      { status: { conditions: [{ ...condition, ...times }] } },
      STRATEGIC,
    );
  }

  /** Says on the node what it is, once. */
  async #describeSelf(api: ApiClient, node: unknown): Promise<void> {
    const labels = {
      "node-role.kubernetes.io/control-plane": "true",
      "node-role.kubernetes.io/etcd": "true",
    };
    const annotations = { [NODE_NAME]: this.identity.name, [NODE_ADDRESS]: this.settings.nodeIp };
    const has = (kind: string, wanted: Readonly<Record<string, string>>): boolean =>
      Object.entries(wanted).every(([key, value]) => textAt(node, "metadata", kind, key) === value);
    if (has("labels", labels) && has("annotations", annotations)) return;
    await api.send(
      "PATCH",
      `/api/v1/nodes/${this.settings.nodeName}`,
      { metadata: { labels, annotations } },
      MERGE,
    );
  }

  async #obeyRemoval(api: ApiClient, node: unknown): Promise<void> {
    const note = (key: string): string | undefined => textAt(node, "metadata", "annotations", key);
    const member = note(NODE_NAME);
    if (note(REMOVE) !== "true" || member === undefined || note(REMOVED) === member) return;
    await this.#removeMember(member);
    const name = textAt(node, "metadata", "name") ?? "";
    await api.send(
      "PATCH",
      `/api/v1/nodes/${name}`,
      { metadata: { annotations: { [REMOVED]: member } } },
      MERGE,
    );
  }

  async #removeMember(name: string): Promise<void> {
    const found = (await this.etcd.members(true)).find((member) => member.name === name);
    if (found === undefined) return;
    log("info", `Removing name=${name} id=${found.id} address=${found.peerUrls[0] ?? ""} from etcd`);
    await this.etcd.remove(found.id);
  }
}
