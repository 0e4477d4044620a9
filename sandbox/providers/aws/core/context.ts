import type { Clients } from "../clients";
import type { Deadline } from "./deadline";

/** What a declaration works with during one operation. */
export interface AwsContext {
  readonly region: string;
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  /** The number of the account. */
  readonly account: () => Promise<string>;
  readonly aws: Clients;
  readonly deadline: Deadline;
  /** Given to AWS at a creation, so that a repeated one makes nothing twice. */
  readonly token: string;
  /** Notes the id of what is being made, before the steps that may fail. Gives it back. */
  readonly started: (id: string) => string;
}

/** The partition that a region belongs to. */
export function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}
