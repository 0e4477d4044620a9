// Takes away Shares whose root is gone without that its end was seen: nothing else would ever come for them.
import type { Discovery, Informer, KubernetesObject } from "../../runtime";
import type { ShareObject } from "../../syncer/kinds";
import { isPin } from "./share";
import type { ShareWriter } from "./share-writer";

/** Sweeps what is left of roots whose finalizer somebody took off, or that went with the storage of the hub. */
export class Sweeper {
  readonly #shares: Informer<ShareObject>;
  readonly #discovery: Discovery;
  readonly #writer: ShareWriter;

  constructor(shares: Informer<ShareObject>, discovery: Discovery, writer: ShareWriter) {
    this.#shares = shares;
    this.#discovery = discovery;
    this.#writer = writer;
  }

  /** Takes away the Shares of an object's kind and name that are not of this very object. */
  async sweep(
    id: string,
    root: KubernetesObject | undefined,
    read: () => Promise<KubernetesObject | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const left = this.#of(id).filter(({ spec }) => spec.root.uid !== root?.metadata.uid);
    if (left.length === 0) return;
    // The cache of roots may lag behind the one of Shares.
    const uid = (await read())?.metadata.uid;
    for (const share of left) if (share.spec.root.uid !== uid) await this.#writer.sweep(share, signal);
  }

  /** The same for an object of a kind that is not followed, once the hub serves it no more. Says whether to ask again. */
  async sweepKind(id: string, signal: AbortSignal): Promise<boolean> {
    const left = this.#of(id);
    const [one] = left;
    if (one === undefined) return false;
    if (!("missing" in (await this.#discovery.find(one.spec.root, signal)))) return true;
    for (const share of left) await this.#writer.sweep(share, signal);
    return false;
  }

  #of(id: string): ShareObject[] {
    return this.#shares
      .byIndex("rootId", id)
      .filter((share) => isPin(share) && share.metadata.deletionTimestamp === undefined);
  }
}
