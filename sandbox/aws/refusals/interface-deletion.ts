import { text } from "../call";
import type { RefusalRule } from "../rule";
import { interfaces } from "./lookup";

/** An interface that something uses stays. */
export const interfaceDeletion: RefusalRule = {
  name: "interface deletion",
  calls: ["ec2:DeleteNetworkInterface"],
  async check(call, context) {
    const id = text(call, "NetworkInterfaceId") ?? "";
    const [found] = await interfaces(context, "network-interface-id", id);
    if (found?.Status !== "in-use") return undefined;
    return { code: "InvalidParameterValue", message: `Network interface '${id}' is currently in use.` };
  },
};
