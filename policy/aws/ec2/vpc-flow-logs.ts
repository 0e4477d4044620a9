import { defineStackPolicy } from "../../core/policy";
import { VPC } from "../shared/resource-types";

const FLOW_LOG = "aws:ec2/flowLog:FlowLog";

export const vpcFlowLogs = defineStackPolicy({
  name: "aws-ec2-vpc-flow-logs",
  description: "Every VPC has a flow log.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV2_AWS_11", "FSBP EC2.6"],
  rules: [15],
  remediationSteps: "Create a flow log for the VPC, with a log group or bucket of sufficient retention.",
  types: [VPC],
  alsoReads: [FLOW_LOG],
  check({ stack, outputs, each, reportViolation, reportUnknown }) {
    const logs = stack.of(FLOW_LOG);
    each(stack.of(VPC), (vpc, network) => {
      const id = network.at("id").textIfKnown();
      // Before the network is there its id is not known; what the log was made from is.
      const isLogged = logs.some(
        (log) =>
          stack.behind(log, "vpcId").some(({ urn }) => urn === vpc.urn) ||
          (id !== undefined && outputs(log).at("vpcId").textIfKnown() === id),
      );
      if (isLogged) return;
      // One whose network is not known, and not made from another of this stack, may be this one's.
      const mayBe = logs.some(
        (log) =>
          stack.behind(log, "vpcId").length === 0 && outputs(log).at("vpcId").textIfKnown() === undefined,
      );
      if (mayBe) reportUnknown(vpc, "its flow log", "is not known yet");
      else reportViolation(vpc, "", "the VPC has no flow log", "Create an aws.ec2.FlowLog with its vpcId.");
    });
  },
});
