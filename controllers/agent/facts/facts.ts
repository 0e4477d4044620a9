import { readFile, statfs } from "node:fs/promises";
import path from "node:path";
import { STATE_MARKER, STATE_MOUNT } from "../../../scripts/state-volume";
import {
  Applier,
  errorMessage,
  type Informer,
  type KubernetesObject,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { HostRefusal } from "../host";
import { NODES, type NodeObject } from "../kinds";
import { followNode, NodeConditions, ownNode, type NodeJudgement } from "../own-node";
import type { Part, Workplace } from "../part";
import { judgeCertificates, readCertificates, type CertificateFact } from "./certificates";
import { askMetadata, missingLabels } from "./metadata";
import { judgeVolume } from "./volume";

/** The condition about the state volume. */
export const VOLUME_CONDITION = "StateVolumeProblem";
/** The condition about certificates. */
export const CERTIFICATES_CONDITION = "CertificatesExpiring";
const CONDITIONS: readonly string[] = [VOLUME_CONDITION, CERTIFICATES_CONDITION];

const LOOK_MS = 30_000;
const CERTIFICATES_MS = 3_600_000;
const METADATA_RETRY_MS = 300_000;

/** Labels and conditions of the agent's own node. */
export const facts: Part = {
  name: "facts",
  describes: "labels of the node that no cloud controller sets; its state volume and certificates",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
  ],
  setUp(workplace) {
    const { manager, settings } = workplace;
    const node = ownNode(manager.cache, settings.nodeName);
    const observer = new Observer(workplace, node);
    const controller = manager.controller({
      name: "facts",
      concurrency: 1,
      reconcile: (_name, context) => observer.reconcile(context),
    });
    followNode(controller, node, ({ metadata: { uid, labels }, spec, status }) => [
      uid,
      labels,
      spec?.taints,
      (status?.conditions ?? []).filter(({ type }) => CONDITIONS.includes(type)),
    ]);
    return undefined;
  },
};

class Observer {
  readonly #workplace: Workplace;
  readonly #node: Informer<NodeObject>;
  readonly #conditions: NodeConditions;
  readonly #applier: Applier;
  #certificates: { facts: CertificateFact[]; at: number } | undefined;
  /** What the metadata service said; asked once a run, since it says the same all the time. */
  #metadata: Record<string, string> | undefined;
  #askedAt = -Infinity;

  constructor(workplace: Workplace, node: Informer<NodeObject>) {
    this.#workplace = workplace;
    this.#node = node;
    this.#conditions = new NodeConditions(workplace.client, "fleetwright-agent-facts", CONDITIONS);
    this.#applier = new Applier(workplace.client, "fleetwright-agent-labels");
  }

  async reconcile({ signal, clock, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const node = this.#node.get(this.#workplace.settings.nodeName);
    if (node === undefined) return undefined;
    await this.#label(node, clock.monotonic(), signal).catch((error: unknown) => {
      log.info("The node's labels are not set.", { cause: errorMessage(error) });
    });
    const now = clock.monotonic();
    if (this.#certificates === undefined || now - this.#certificates.at > CERTIFICATES_MS)
      this.#certificates = { facts: await readCertificates(this.#workplace.root), at: now };
    const judgements = {
      [VOLUME_CONDITION]: await this.#volume(),
      [CERTIFICATES_CONDITION]: judgeCertificates(this.#certificates.facts, clock.now()),
    };
    await this.#conditions.write(node, judgements, signal);
    return { requeueAfterMs: LOOK_MS };
  }

  async #label(node: NodeObject, now: number, signal: AbortSignal): Promise<void> {
    const { metadataUrl } = this.#workplace.settings;
    const labels = node.metadata.labels ?? {};
    const missing = missingLabels(
      labels,
      (node.spec?.taints ?? []).map(({ key }) => key),
    );
    if (metadataUrl === "" || missing.length === 0) return;
    if (this.#metadata === undefined) {
      if (now - this.#askedAt < METADATA_RETRY_MS) return;
      this.#askedAt = now;
      this.#metadata = await askMetadata(metadataUrl, signal);
    }
    const known = this.#metadata;
    // All that are ours, not only the new ones: what an apply leaves out, it gives up.
    const ours = Object.entries(known).filter(([key, value]) => (labels[key] ?? value) === value);
    if (!missing.some((key) => known[key] !== undefined)) return;
    const body: KubernetesObject = {
      metadata: { name: node.metadata.name, labels: Object.fromEntries(ours) },
    };
    await this.#applier.apply(NODES, body, { signal });
  }

  async #volume(): Promise<NodeJudgement | undefined> {
    const { root, settings } = this.#workplace;
    const fstab = (await root.ifFolder("/etc", (etc) => etc.read("fstab")))?.result?.text ?? "";
    if (!fstab.includes(STATE_MOUNT)) return undefined;
    const mounts = await readFile(path.join(settings.proc, "1/mountinfo"), "utf8");
    const marker = await this.#marker();
    const used = await statfs(path.join(root.place, STATE_MOUNT)).then(
      ({ blocks, bavail, files, ffree }) => ({
        bytes: blocks === 0 ? 0 : 1 - bavail / blocks,
        files: files === 0 ? 0 : 1 - ffree / files,
      }),
      () => undefined,
    );
    return judgeVolume({ fstab, mounts, marker, used });
  }

  async #marker(): Promise<string | undefined> {
    try {
      return (await this.#workplace.root.ifFolder(STATE_MOUNT, (folder) => folder.read(STATE_MARKER)))?.result
        ?.text;
    } catch (error) {
      if (error instanceof HostRefusal) return undefined;
      throw error;
    }
  }
}
