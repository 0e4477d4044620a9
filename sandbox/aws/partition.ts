/** The partition of a region: accounts, services and ARNs of one mean nothing in another. */
export function partitionOf(region: string): "aws" | "aws-cn" | "aws-us-gov" {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}
