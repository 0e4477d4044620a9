import { createHash } from "node:crypto";

/** The first address after a subnet's own, where a VPC's router answers, with the subnet's prefix length. */
export function gatewayOf(subnetCidr: string): { ip: string; prefix: number } {
  const [base = "", length = ""] = subnetCidr.split("/");
  const prefix = Number(length);
  const mask = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  return { ip: addressText(((addressNumber(base) & mask) >>> 0) + 1), prefix };
}

/** Whether an address lies in a range. */
export function contains(cidr: string, ip: string): boolean {
  const [base = "", length = ""] = cidr.split("/");
  const mask = Number(length) === 0 ? 0 : (0xffffffff << (32 - Number(length))) >>> 0;
  return (addressNumber(base) & mask) >>> 0 === (addressNumber(ip) & mask) >>> 0;
}

/** The hardware address of the interface with this address: locally administered, as in EC2. */
export function macOf(ip: string): string {
  const bytes = ip.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  return ["02", "fa", ...bytes].join(":");
}

/** The name of a machine's link on the bridge; a link's name has at most 15 characters. */
export function linkName(machineId: string): string {
  return `v${createHash("sha256").update(machineId).digest("hex").slice(0, 12)}`;
}

/** A short name for a folder, the same in every run. */
export function machineHostKey(dir: string): string {
  return `fw-${createHash("sha256").update(dir).digest("hex").slice(0, 10)}`;
}

function addressNumber(ip: string): number {
  return ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function addressText(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
}
