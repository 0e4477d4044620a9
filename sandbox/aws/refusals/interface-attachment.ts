import { fields, text } from "../call";
import type { RefusalRule } from "../rule";
import { instance, interfaces } from "./lookup";

/** An interface belongs to one instance, in its own zone. */
export const interfaceAttachment: RefusalRule = {
  name: "interface attachment",
  calls: ["ec2:AttachNetworkInterface", "ec2:RunInstances"],
  async check(call, context) {
    const named = text(call, "NetworkInterfaceId");
    const ids = named === undefined ? fields(call, "NetworkInterface", "NetworkInterfaceId") : [named];
    for (const id of ids) {
      const [found] = await interfaces(context, "network-interface-id", id);
      if (found?.Status === "in-use") {
        return { code: "InvalidNetworkInterface.InUse", message: `Interface: [${id}] in use.` };
      }
      const target = await instance(context, text(call, "InstanceId") ?? "");
      if (
        found !== undefined &&
        target !== undefined &&
        found.AvailabilityZone !== target.Placement?.AvailabilityZone
      ) {
        return {
          code: "InvalidParameterCombination",
          message:
            "You may not attach a network interface to an instance if they are not in the same availability zone",
        };
      }
    }
    return undefined;
  },
};
