import type { Property } from "../../judge/property";
import { INGRESS_RULE, SECURITY_GROUP, SECURITY_GROUP_RULE } from "../types";

/** The types in which what may come in is written. */
export const DOORS = [SECURITY_GROUP, SECURITY_GROUP_RULE, INGRESS_RULE];

/** One range of addresses that may come in by some ports. */
export interface Door {
  /** Where the range is written. */
  readonly from: Property;
  readonly first: number;
  readonly last: number;
}

/** Whether a range is the whole world, or more of it than belongs to anybody: two halves would do as well. */
export function isWorld(range: string | undefined): boolean {
  const [, address = "", prefix] = /^([\da-f.:]+)\/(\d+)$/i.exec(range?.trim() ?? "") ?? [];
  return prefix !== undefined && Number(prefix) < (address.includes(":") ? 16 : 8);
}

/** Looks at every door that a resource opens to the whole world, by TCP or UDP. */
export function eachOpenDoor(type: string, inputs: Property, look: (door: Door) => void): void {
  if (type === SECURITY_GROUP) {
    inputs.at("ingress").each((rule) => openDoors(rule, "protocol", look));
  } else if (type === SECURITY_GROUP_RULE) {
    inputs.attempt(() => {
      if (inputs.at("type").text() === "ingress") openDoors(inputs, "protocol", look);
    });
  } else {
    inputs.attempt(() => openDoors(inputs, "ipProtocol", look));
  }
}

function openDoors(rule: Property, protocolKey: string, look: (door: Door) => void): void {
  const protocol = rule.at(protocolKey).text()?.toLowerCase() ?? rule.at(protocolKey).number()?.toString();
  const isAll = protocol === "-1" || protocol === "all";
  if (!isAll && !["tcp", "udp", "6", "17"].includes(protocol ?? "")) return;
  const lookAt = (range: Property): void => {
    if (!isWorld(range.text())) return;
    const first = isAll ? 0 : (rule.at("fromPort").number() ?? 0);
    const last = isAll ? 65535 : (rule.at("toPort").number() ?? 65535);
    look({ from: range, first, last });
  };
  for (const key of ["cidrBlocks", "ipv6CidrBlocks"]) rule.at(key).each(lookAt);
  for (const key of ["cidrIpv4", "cidrIpv6"]) rule.attempt(() => lookAt(rule.at(key)));
}
