import { DescribeSnapshotsCommand } from "@aws-sdk/client-ec2";
import { text } from "../call";
import type { RefusalRule } from "../rule";

/** A volume is made from a snapshot that there is: of another moto makes an error of its own. */
export const volumeSource: RefusalRule = {
  name: "volume source",
  calls: ["ec2:CreateVolume"],
  async check(call, { aws }) {
    const id = text(call, "SnapshotId");
    if (id === undefined) return undefined;
    const isThere = await aws.ec2.send(new DescribeSnapshotsCommand({ SnapshotIds: [id] })).then(
      ({ Snapshots }) => (Snapshots ?? []).length > 0,
      () => false,
    );
    return isThere
      ? undefined
      : { code: "InvalidSnapshot.NotFound", message: `The snapshot '${id}' does not exist.` };
  },
};
