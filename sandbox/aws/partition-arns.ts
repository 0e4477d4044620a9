import type { RawAnswer } from "./backend";
import { partitionOf } from "./partition";
import type { Addition } from "./rule";

/** Calls whose answer is what somebody stored. */
const KEPT = ["s3:GetObject", "ssm:GetParameter", "ssm:GetParameters", "ssm:GetParametersByPath"];

/** ARNs of the region's partition: moto writes some as if there were one only. What it keeps for others stays as it is. */
export const partitionArns: Addition = {
  name: "partition",
  answer: () => Promise.resolve(undefined),
  amend(call, answer, { region }): Promise<RawAnswer> {
    if (KEPT.includes(`${call.service}:${call.action}`)) return Promise.resolve(answer);
    const partition = partitionOf(region);
    const body = answer.body.toString("latin1");
    return Promise.resolve(
      partition === "aws" || !body.includes("arn:aws:")
        ? answer
        : {
            ...answer,
            body: Buffer.from(body.replaceAll("arn:aws:", `arn:${partition}:`), "latin1"),
          },
    );
  },
};
