import type { RawAnswer } from "./backend";
import { partitionOf } from "./partition";
import type { Addition } from "./rule";

/** ARNs of the region's partition: moto writes some as if there were one only. */
export const partitionArns: Addition = {
  name: "partition",
  answer: () => Promise.resolve(undefined),
  amend(_call, answer, { region }): Promise<RawAnswer> {
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
