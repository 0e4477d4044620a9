/** Where a server's state volume is mounted: RKE2's data directory lies below it. */
export const STATE_MOUNT = "/var/lib/rancher";

/** The file in a state volume's root that says whose it is. */
export const STATE_MARKER = ".fleetwright-state";

/** The stable path of a volume's device. Kernel names and their order change from boot to boot. */
export function volumeDevice(volumeId: string): string {
  return `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${volumeId.replace("-", "")}`;
}
