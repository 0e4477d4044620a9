// The agent's report on its upgrade, an annotation of the Node.
import { REPORT_ANNOTATION, reportOn, type UpgradeReport } from "../../../api/upgrade-annotations";
import { compareVersions, isNotFound, type ApiClient } from "../../runtime";
import { NODES, type NodeObject } from "../kinds";

/** A report without the upgrade that it is about. */
export type Progress = Omit<UpgradeReport, "uid">;

/** Reads and writes the agent's report, an annotation of the Node. The coordinator copies it to the ClusterUpgrade's status. */
export class ReportWriter {
  readonly #client: ApiClient;
  /** What was written last, until the cache has it. */
  #written: { report: UpgradeReport; version: string } | undefined;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** The latest report about an upgrade; empty if there is none. */
  current(node: NodeObject, uid: string): Progress {
    const { resourceVersion = "0" } = node.metadata;
    const isBehind =
      this.#written !== undefined && compareVersions(resourceVersion, this.#written.version) < 0;
    const report = isBehind ? this.#written?.report : reportOn(node);
    return report?.uid === uid ? report : {};
  }

  /** Writes a report, unless the Node has it already. */
  async write({ metadata }: NodeObject, uid: string, progress: Progress, signal: AbortSignal): Promise<void> {
    const report: UpgradeReport = { uid, ...progress };
    const text = JSON.stringify(report);
    if (metadata.annotations?.[REPORT_ANNOTATION] === text) return;
    const body = { metadata: { uid: metadata.uid, annotations: { [REPORT_ANNOTATION]: text } } };
    try {
      const written = await this.#client.patch(NODES, metadata, body, {
        query: { fieldManager: "fleetwright-agent-upgrade" },
        signal,
      });
      this.#written = { report, version: written.metadata.resourceVersion ?? "0" };
    } catch (error) {
      // The Node is gone, and nobody waits for the report.
      if (!isNotFound(error)) throw error;
    }
  }
}
