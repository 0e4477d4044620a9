import { DescribeVolumesCommand, DetachVolumeCommand } from "@aws-sdk/client-ec2";
import { waitFor } from "../deadline";
import { text, type Call } from "../aws/call";
import type { Addition, Clients } from "../aws";
import type { MachineHall } from "../machines";
import { randomUUID } from "node:crypto";

/** What a detachment needs of the cloud around it. */
export interface DetachmentSurroundings {
  hall: () => MachineHall | undefined;
  /** Says in AWS's API that the volume is still in use where it was. */
  setBusy: (volumeId: string) => Promise<void>;
  /** Called when a volume that was busy has been detached. */
  detached: () => void;
  /** Ends the waits. */
  signal: AbortSignal;
}

const NOTICE_MS = 24 * 3600_000;

/**
 * A volume that its machine has mounted is not detached: it is "busy" until the machine has unmounted it, as on AWS,
 * where this keeps whoever waits for it from attaching it elsewhere.
 */
export function mountedVolumes(around: DetachmentSurroundings): Addition {
  const waiting = new Set<string>();
  return {
    name: "mounted volume",
    async answer(call, { aws }) {
      if (call.service !== "ec2" || call.action !== "DetachVolume") return undefined;
      const volumeId = text(call, "VolumeId") ?? "";
      const rack = around.hall()?.volumes;
      if (rack === undefined) return undefined;
      if (text(call, "Force") === "true") {
        await rack.detach(volumeId, { force: true }).catch(() => {});
        return undefined;
      }
      if (!(await rack.isMounted(volumeId))) return undefined;
      await around.setBusy(volumeId);
      if (!waiting.has(volumeId)) {
        waiting.add(volumeId);
        void waitFor(`${volumeId} to be unmounted`, async () => !(await rack.isMounted(volumeId)), {
          timeoutMs: NOTICE_MS,
          intervalMs: 200,
          signal: around.signal,
        })
          .then(() => aws.ec2.send(new DetachVolumeCommand({ VolumeId: volumeId })))
          // It was detached in another way meanwhile, such as by the end of its machine; or the cloud ends.
          .catch(() => {})
          .finally(() => {
            waiting.delete(volumeId);
            around.detached();
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
