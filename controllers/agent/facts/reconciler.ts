// Reconciles labels and conditions of the node.
import { errorMessage, type Informer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import type { NodeObject } from "../kinds";
import { NodeConditions } from "../node-conditions";
import { NodeLabels } from "./apply";
import { readCertificates } from "./certificates";
import {
  CERTIFICATES_CONDITION,
  CONDITIONS,
  evaluateCertificates,
  evaluateVolume,
  VOLUME_CONDITION,
  type CertificateFact,
} from "./plan";
import { readVolume } from "./volume";

const INTERVAL_MS = 30_000;
const CERTIFICATES_INTERVAL_MS = 3_600_000;

/** Looks at the node twice a minute: sets missing labels, and conditions for the state volume and certificates. */
export class NodeFactsReconciler {
  readonly #context: ControllerContext;
  readonly #node: Informer<NodeObject>;
  readonly #labels: NodeLabels;
  readonly #conditions: NodeConditions;
  #certificates: { facts: CertificateFact[]; at: number } | undefined;

  constructor(context: ControllerContext, node: Informer<NodeObject>) {
    this.#context = context;
    this.#node = node;
    this.#labels = new NodeLabels(context.client, context.settings.metadataUrl);
    this.#conditions = new NodeConditions(context.client, "fleetwright-agent-facts", CONDITIONS);
  }

  async reconcile({ signal, clock, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { root, settings } = this.#context;
    const node = this.#node.get(settings.nodeName);
    if (node === undefined) return undefined;
    await this.#labels.apply(node, clock.monotonic(), signal).catch((error: unknown) => {
      log.info("Could not set the node's labels.", { cause: errorMessage(error) });
    });
    const now = clock.monotonic();
    if (this.#certificates === undefined || now - this.#certificates.at > CERTIFICATES_INTERVAL_MS)
      this.#certificates = { facts: await readCertificates(root), at: now };
    const volume = await readVolume(root, settings.proc);
    await this.#conditions.write(
      node,
      {
        [VOLUME_CONDITION]: volume === undefined ? undefined : evaluateVolume(volume),
        [CERTIFICATES_CONDITION]: evaluateCertificates(this.#certificates.facts, clock.now()),
      },
      signal,
    );
    return { requeueAfterMs: INTERVAL_MS };
  }
}
