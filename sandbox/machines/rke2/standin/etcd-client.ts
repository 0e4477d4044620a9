import { ApiClient } from "../../../controlplane/api";
import type { CertifiedKey } from "../../../controlplane/certificate";
import { Failure } from "../../../../lib/failure";
import { at, listAt, parseJson, textAt } from "../../../../lib/json";
import type { Member } from "./member";

/** How one member of etcd is doing. */
export interface MemberStatus {
  memberId: string;
  leader: string;
  learner: boolean;
}

/** A client of etcd's JSON gateway, which it serves beside gRPC. */
export class EtcdClient {
  readonly #api: ApiClient;

  constructor(
    readonly endpoint: string,
    authority: string,
    client: CertifiedKey,
  ) {
    this.#api = new ApiClient({ endpoint, authority, client });
  }

  /** The status of the member that is asked. */
  async status(): Promise<MemberStatus> {
    const answer = await this.#call("/v3/maintenance/status", {});
    return {
      memberId: textAt(answer, "header", "member_id") ?? "",
      leader: textAt(answer, "leader") ?? "0",
      learner: at(answer, "isLearner") === true,
    };
  }

  /** All members. With `quorum` the answer is what the cluster has agreed on, otherwise what this member last heard. */
  async members(quorum: boolean): Promise<Member[]> {
    const answer = await this.#call("/v3/cluster/member/list", { linearizable: quorum });
    return listAt(answer, "members").map((entry) => ({
      id: textAt(entry, "ID") ?? "",
      name: textAt(entry, "name") ?? "",
      peerUrls: listAt(entry, "peerURLs").map(String),
      clientUrls: listAt(entry, "clientURLs").map(String),
      learner: at(entry, "isLearner") === true,
    }));
  }

  /** Adds a member that takes part in nothing until it is promoted. */
  async addLearner(peerUrl: string): Promise<void> {
    await this.#call("/v3/cluster/member/add", { peerURLs: [peerUrl], isLearner: true });
  }

  /** Makes a learner that has caught up a voting member. */
  async promote(id: string): Promise<void> {
    await this.#call("/v3/cluster/member/promote", { ID: id });
  }

  /** Removes a member. */
  async remove(id: string): Promise<void> {
    await this.#call("/v3/cluster/member/remove", { ID: id });
  }

  /** Gives a member another peer URL. */
  async updatePeer(id: string, peerUrl: string): Promise<void> {
    await this.#call("/v3/cluster/member/update", { ID: id, peerURLs: [peerUrl] });
  }

  /** The keys that begin with a text, with their values. */
  async range(prefix: string): Promise<{ key: string; value: string }[]> {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    const answer = await this.#call("/v3/kv/range", { key: base64(prefix), range_end: base64(end) });
    return listAt(answer, "kvs").map((entry) => ({
      key: plain(textAt(entry, "key")),
      value: plain(textAt(entry, "value")),
    }));
  }

  /** Writes a key. */
  async put(key: string, value: string): Promise<void> {
    await this.#call("/v3/kv/put", { key: base64(key), value: base64(value) });
  }

  /** Closes connections. */
  close(): void {
    this.#api.close();
  }

  async #call(path: string, body: unknown): Promise<unknown> {
    const { status, body: text } = await this.#api.send("POST", path, body);
    const answer = parseJson(text);
    if (status === 200) return answer;
    throw new Failure(
      `etcd at ${this.endpoint} answered ${status} to ${path}: ${textAt(answer, "message") ?? text}`,
    );
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function plain(text: string | undefined): string {
  return Buffer.from(text ?? "", "base64").toString("utf8");
}
