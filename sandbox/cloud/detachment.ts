import { DescribeVolumesCommand, DetachVolumeCommand } from "@aws-sdk/client-ec2";
import { waitFor } from "../../lib/deadline";
import { text, type Call } from "../aws/call";
import type { Addition, Clients } from "../aws";
import type { MachineHost } from "../machines";
import { randomUUID } from "node:crypto";

/** What detaching a volume needs of its cloud. */
export interface DetachmentContext {
  machineHost: () => MachineHost | undefined;
  /** Sets the attachment to "busy" in the AWS API. */
  setBusy: (volumeId: string) => Promise<void>;
  /** Called when a volume that was busy has been detached. */
  detached: () => void;
  /** Aborted when the cloud stops. */
  signal: AbortSignal;
}

const UNMOUNT_TIMEOUT_MS = 24 * 3600_000;

/**
 * Answers DetachVolume for a volume that its machine has mounted: as on AWS it stays "busy" until the machine unmounts
 * it, so that nobody attaches it elsewhere meanwhile.
 */
export function mountedVolumes(context: DetachmentContext): Addition {
  const waiting = new Set<string>();
  return {
    name: "mounted volume",
    async answer(call, { aws }) {
      if (call.service !== "ec2" || call.action !== "DetachVolume") return undefined;
      const volumeId = text(call, "VolumeId") ?? "";
      const volumes = context.machineHost()?.volumes;
      if (volumes === undefined) return undefined;
      if (text(call, "Force") === "true") {
        await volumes.detach(volumeId, { force: true }).catch(() => {});
        return undefined;
      }
      if (!(await volumes.isMounted(volumeId))) return undefined;
      await context.setBusy(volumeId);
      if (!waiting.has(volumeId)) {
        waiting.add(volumeId);
        void waitFor(`${volumeId} to be unmounted`, async () => !(await volumes.isMounted(volumeId)), {
          timeoutMs: UNMOUNT_TIMEOUT_MS,
          intervalMs: 200,
          signal: context.signal,
        })
          .then(() => aws.ec2.send(new DetachVolumeCommand({ VolumeId: volumeId })))
          // It was detached in another way meanwhile, such as by terminating its machine; or the cloud stops.
          .catch(() => {})
          .finally(() => {
            waiting.delete(volumeId);
            context.detached();
          });
      }
      return busy(call, await attachmentOf(aws, volumeId));
    },
  };
}

async function attachmentOf(aws: Clients, volumeId: string): Promise<{ instanceId: string; device: string }> {
  const found = await aws.ec2.send(new DescribeVolumesCommand({ VolumeIds: [volumeId] }));
  const attachment = found.Volumes?.[0]?.Attachments?.[0];
  return { instanceId: attachment?.InstanceId ?? "", device: attachment?.Device ?? "" };
}

function busy(call: Call, { instanceId, device }: { instanceId: string; device: string }) {
  const fields = {
    requestId: randomUUID(),
    volumeId: text(call, "VolumeId") ?? "",
    instanceId,
    device,
    status: "busy",
  };
  const inner = Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("");
  return {
    status: 200,
    headers: { "content-type": "text/xml" },
    body: Buffer.from(
      `<DetachVolumeResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${inner}</DetachVolumeResponse>`,
    ),
  };
}
