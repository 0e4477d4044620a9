// Refusals of EC2 that depend on an instance's state.
import { list, text } from "../call";
import type { RefusalRule } from "../rule";
import { instance } from "./lookup";

const VERBS: Readonly<Record<string, string>> = {
  StartInstances: "started",
  StopInstances: "stopped",
  RebootInstances: "rebooted",
};

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  StartInstances: ["stopped", "running", "pending"],
  StopInstances: ["running", "pending", "stopping", "stopped"],
  RebootInstances: ["running", "pending"],
};

/** An instance is started, stopped and changed only where its state allows it. */
export const instanceState: RefusalRule = {
  name: "instance state",
  calls: ["ec2:StartInstances", "ec2:StopInstances", "ec2:RebootInstances", "ec2:ModifyInstanceAttribute"],
  async check(call, context) {
    if (call.action === "ModifyInstanceAttribute") {
      const id = text(call, "InstanceId") ?? "";
      const needsStop = ["UserData.Value", "InstanceType.Value"].some(
        (name) => text(call, name) !== undefined,
      );
      const state = needsStop ? (await instance(context, id))?.State?.Name : undefined;
      return state === undefined || state === "stopped"
        ? undefined
        : { code: "IncorrectInstanceState", message: `The instance '${id}' is not in the 'stopped' state.` };
    }
    for (const id of list(call, "InstanceId")) {
      const state = (await instance(context, id))?.State?.Name;
      if (state === undefined || ALLOWED[call.action]?.includes(state) === true) continue;
      return {
        code: "IncorrectInstanceState",
        message: `The instance '${id}' is not in a state from which it can be ${VERBS[call.action] ?? "changed"}.`,
      };
    }
    return undefined;
  },
};
