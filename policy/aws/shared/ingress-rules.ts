import type { Property } from "../../core/property";
import { INGRESS_RULE, SECURITY_GROUP, SECURITY_GROUP_RULE } from "./resource-types";

/** Resource types that define ingress rules. */
export const INGRESS_TYPES = [SECURITY_GROUP, SECURITY_GROUP_RULE, INGRESS_RULE];

/** A CIDR range that an ingress rule allows, and its ports. */
export interface OpenIngress {
  /** The property with the range. */
  readonly from: Property;
  readonly first: number;
  readonly last: number;
}

/** Whether a range is the internet, or so large that it might as well be (such as one half of it). */
export function isInternet(range: string | undefined): boolean {
  const [, address = "", prefix] = /^([\da-f.:]+)\/(\d+)$/i.exec(range?.trim() ?? "") ?? [];
  return prefix !== undefined && Number(prefix) < (address.includes(":") ? 16 : 8);
}

/** Visits every TCP or UDP ingress rule of a resource that is open to the internet. */
export function eachOpenIngress(type: string, inputs: Property, look: (ingress: OpenIngress) => void): void {
  if (type === SECURITY_GROUP) {
    inputs.at("ingress").each((rule) => visitOpenRanges(rule, "protocol", look));
  } else if (type === SECURITY_GROUP_RULE) {
    inputs.attempt(() => {
      if (inputs.at("type").text() === "ingress") visitOpenRanges(inputs, "protocol", look);
    });
  } else {
    inputs.attempt(() => visitOpenRanges(inputs, "ipProtocol", look));
  }
}

function visitOpenRanges(rule: Property, protocolKey: string, look: (ingress: OpenIngress) => void): void {
  const protocol = rule.at(protocolKey).text()?.toLowerCase() ?? rule.at(protocolKey).number()?.toString();
  const isAll = protocol === "-1" || protocol === "all";
  if (!isAll && !["tcp", "udp", "6", "17"].includes(protocol ?? "")) return;
  const lookAt = (range: Property): void => {
    if (!isInternet(range.text())) return;
    const first = isAll ? 0 : (rule.at("fromPort").number() ?? 0);
    const last = isAll ? 65535 : (rule.at("toPort").number() ?? 65535);
    look({ from: range, first, last });
  };
  for (const key of ["cidrBlocks", "ipv6CidrBlocks"]) rule.at(key).each(lookAt);
  for (const key of ["cidrIpv4", "cidrIpv6"]) rule.attempt(() => lookAt(rule.at(key)));
}
