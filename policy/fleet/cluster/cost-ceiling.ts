import { EKS_CLUSTER, INSTANCE, LOAD_BALANCERS, VOLUME } from "../../aws/types";
import { defineStackPolicy } from "../../judge/policy";
import type { Property } from "../../judge/property";
import { instancePrice, monthlyPrice, PRICES_OF, volumePrice } from "../prices";
import { machinesOf, mostNodes, NODES } from "./nodes";

const NAT = "aws:ec2/natGateway:NatGateway";
const ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint";
const KEY = "aws:kms/key:Key";
/** What AWS makes of a root disk that nothing is said of. */
const ROOT_GIBIBYTES = 8;

export const costCeiling = defineStackPolicy({
  name: "fleet-cluster-cost-ceiling",
  description: "A stack costs no more a month than was agreed, even if autoscalers do their worst.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  steps:
    "Lower the pools' max, take smaller machines, or raise the setting monthlyDollars. The figures and their age are in policy/fleet/prices.json.",
  types: [...NODES, ...LOAD_BALANCERS, VOLUME, EKS_CLUSTER, NAT, ENDPOINT, KEY],
  settings: {
    monthlyDollars: {
      type: "number",
      default: 2000,
      description: `The most a stack may cost a month, by ${PRICES_OF}.`,
    },
  },
  check({ stack, settings, outputs, each, refuse, doubt }) {
    let total = 0;
    each(stack.of(...NODES), (resource, own) => {
      const count = mostNodes(resource, own);
      const { types, template } = machinesOf(stack, resource, outputs);
      const prices = types.map((type) => instancePrice(type.text() ?? ""));
      if (prices.length === 0 || prices.includes(undefined)) {
        const shown = types.map((type) => type.shown()).join(", ") || "a machine without a type";
        doubt(
          resource,
          "its price",
          `is not in the table for ${shown}`,
          "Add it to policy/fleet/prices.json.",
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
      refuse(
        undefined,
        "the price of a month",
        `about $${Math.round(total)} (${PRICES_OF})`,
        `$${settings.monthlyDollars} are allowed: lower the pools' max, or take smaller machines.`,
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
