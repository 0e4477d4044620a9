// Writes the Shares of pinned objects: makes and changes them, and takes them away, with the word that their objects go or without.
import { ALLOW_DELETION } from "../../app/deletion-guard";
import { isNamespaceGone } from "../../app/ownership";
import {
  isAlreadyExists,
  isNotFound,
  type ApiClient,
  type KubernetesObject,
  type Recorder,
} from "../../runtime";
import { SHARES, type ShareObject } from "../../syncer/kinds";
import { REMOVE } from "../../syncer/names";
import { isSameShare, sharePatch } from "./share";

/** Writes Shares. */
export class ShareWriter {
  readonly #client: ApiClient;
  readonly #recorder: Recorder;

  constructor(client: ApiClient, recorder: Recorder) {
    this.#client = client;
    this.#recorder = recorder;
  }

  /** Makes or changes a Share: `made`, `there`, or `later` while another of its name goes or the cluster's namespace is not there. */
  async put(
    share: ShareObject,
    live: ShareObject | undefined,
    signal: AbortSignal,
  ): Promise<"made" | "there" | "later"> {
    if (live?.metadata.deletionTimestamp !== undefined) return "later";
    try {
      if (live === undefined) {
        await this.#client.create(SHARES, share, signal);
        return "made";
      }
      if (!isSameShare(live, share)) {
        const { uid, resourceVersion } = live.metadata;
        const body = { metadata: { uid, resourceVersion }, spec: sharePatch(live, share) };
        await this.#client.patch(SHARES, live.metadata, body, { signal });
      }
      return "there";
    } catch (error) {
      if (isAlreadyExists(error)) {
        // One of a root that went and came again: it is of another UID, and has to go first.
        const old = await this.#client.get(SHARES, share.metadata, signal);
        if (old.spec.root.uid !== share.spec.root.uid) await this.letGo(old, signal);
        return "later";
      }
      if (isNamespaceGone(error)) return "later";
      throw error;
    }
  }

  /** Takes a Share away, and with it the object in the member: a person said so by what became of the root. */
  async remove(share: ShareObject, root: KubernetesObject, signal: AbortSignal): Promise<void> {
    const { uid, annotations = {} } = share.metadata;
    const wanted: Record<string, string> = { [REMOVE]: "true" };
    if (root.metadata.annotations?.[ALLOW_DELETION] === "true") wanted[ALLOW_DELETION] = "true";
    try {
      if (Object.entries(wanted).some(([key, value]) => annotations[key] !== value))
        await this.#client.patch(
          SHARES,
          share.metadata,
          { metadata: { uid, annotations: wanted } },
          { signal },
        );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await this.letGo(share, signal);
  }

  /** Takes a Share away without a word about its object, which stays in the member. */
  async letGo({ metadata }: ShareObject, signal: AbortSignal): Promise<void> {
    const { uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return;
    try {
      await this.#client.delete(SHARES, metadata, { uid }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** As {@link letGo}, for a Share whose root is gone without that anybody saw its end; an event says so. */
  async sweep(share: ShareObject, signal: AbortSignal): Promise<void> {
    if (share.metadata.deletionTimestamp !== undefined) return;
    const { kind, namespace, name } = share.spec.root;
    this.#recorder.record(SHARES, share, {
      type: "Warning",
      reason: "RootGone",
      action: "Sweep",
      note: `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}, which it is a share of, is gone without an end that was seen, so nobody has said what becomes of the object in the member: it stays there, and is named by the condition Ready of the Cluster.`,
    });
    await this.letGo(share, signal);
  }
}
