import { EKS_CLUSTER, INSTANCE, LOAD_BALANCERS, VOLUME } from "../../aws/shared/resource-types";
import { defineStackPolicy } from "../../core/policy";
import type { Property } from "../../core/property";
import { instancePrice, monthlyPrice, PRICES_OF, volumePrice } from "../shared/prices";
import { machinesOf, mostNodes, NODES } from "../shared/node-counts";

const NAT = "aws:ec2/natGateway:NatGateway";
const ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint";
const KEY = "aws:kms/key:Key";
/** What AWS makes of a root disk that nothing is said of. */
const ROOT_GIBIBYTES = 8;

export const costCeiling = defineStackPolicy({
  name: "product-cluster-cost-ceiling",
  description: "The monthly cost of a stack, with all pools at their maximum, is within the limit.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  remediationSteps:
    "Lower the maximum size of pools, use smaller instances, or raise the setting monthlyDollars. Prices and their date are in policy/product/shared/prices.json.",
  types: [...NODES, ...LOAD_BALANCERS, VOLUME, EKS_CLUSTER, NAT, ENDPOINT, KEY],
  settings: {
    monthlyDollars: {
      type: "number",
      default: 2000,
      description: `Maximum monthly cost of a stack, by ${PRICES_OF}.`,
    },
  },
  check({ stack, settings, outputs, each, reportViolation, reportUnknown }) {
    let total = 0;
    each(stack.of(...NODES), (resource, own) => {
      const count = mostNodes(resource, own);
      const { types, template } = machinesOf(stack, resource, outputs);
      const prices = types.map((type) => instancePrice(type.text() ?? ""));
      if (prices.length === 0 || prices.includes(undefined)) {
        const shown = types.map((type) => type.shown()).join(", ") || "a machine without a type";
        reportUnknown(
          resource,
          "its price",
          `is not known for ${shown}`,
          "Add it to policy/product/shared/prices.json.",
        );
      }
      // Of several types that may be started the dearest one counts.
      total += count * Math.max(0, ...prices.map((price) => price ?? 0));
      total +=
        count * diskPrice(resource.type === INSTANCE ? [own.at("rootBlockDevice")] : disksOf(template));
    });
    each(stack.of(VOLUME), (_, volume) => {
      total += volumePrice(volume.at("type").text() ?? "gp2", volume.at("size").number() ?? 0) ?? 0;
    });
    each(stack.of(ENDPOINT), (_, endpoint) => {
      const zones =
        endpoint.at("vpcEndpointType").text() === "Interface" ? endpoint.at("subnetIds").list().length : 0;
      total += zones * monthlyPrice("interfaceEndpoint");
    });
    total += stack.of(NAT).length * monthlyPrice("natGateway");
    total += stack.of(...LOAD_BALANCERS).length * monthlyPrice("loadBalancer");
    total += stack.of(EKS_CLUSTER).length * monthlyPrice("cluster");
    total += stack.of(KEY).length * monthlyPrice("key");
    if (total > settings.monthlyDollars)
      reportViolation(
        undefined,
        "the monthly cost",
        `about $${Math.round(total)} (${PRICES_OF})`,
        `$${settings.monthlyDollars} is allowed: lower the maximum size of pools, or use smaller instances.`,
      );
  },
});

function disksOf(template: Property | undefined): Property[] {
  return (
    template
      ?.at("blockDeviceMappings")
      .list()
      .map((mapping) => mapping.at("ebs")) ?? []
  );
}

function diskPrice(disks: readonly Property[]): number {
  const prices = disks.map((disk) =>
    volumePrice(disk.at("volumeType").text() ?? "gp2", disk.at("volumeSize").number() ?? ROOT_GIBIBYTES),
  );
  return prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
}
