import type { MachineSpec } from "../spec";

/** A machine at 10.0.1.10, or as given. */
export function machineSpecFixture(changes: Partial<MachineSpec> = {}): MachineSpec {
  return {
    id: "i-0a1",
    privateIp: "10.0.1.10",
    subnetCidr: "10.0.1.0/24",
    zone: "eu-central-1a",
    hostname: "ip-10-0-1-10",
    imageId: "ami-0123",
    instanceType: "t3.medium",
    region: "eu-central-1",
    accountId: "123456789012",
    authorizedKeys: [],
    tags: {},
    metadata: { tokensRequired: true, hopLimit: 1, tagsEnabled: false },
    ...changes,
  };
}
