import {
  DescribeListenersCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { text } from "../call";
import type { RefusalRule } from "../rule";

/** One load balancer a name, one listener a port, and none is deleted that is protected. */
export const loadBalancer: RefusalRule = {
  name: "load balancer",
  calls: [
    "elasticloadbalancing:CreateLoadBalancer",
    "elasticloadbalancing:CreateListener",
    "elasticloadbalancing:DeleteLoadBalancer",
  ],
  async check(call, { aws }) {
    const arn = text(call, "LoadBalancerArn") ?? "";
    if (call.action === "CreateLoadBalancer") {
      const name = text(call, "Name") ?? "";
      const all = await aws.elb.send(new DescribeLoadBalancersCommand({}));
      return all.LoadBalancers?.some(({ LoadBalancerName }) => LoadBalancerName === name) === true
        ? {
            code: "DuplicateLoadBalancerName",
            message: `A load balancer with the same name '${name}' exists, but with different settings`,
          }
        : undefined;
    }
    if (call.action === "CreateListener") {
      const listeners = await aws.elb
        .send(new DescribeListenersCommand({ LoadBalancerArn: arn }))
        .catch(() => undefined);
      return listeners?.Listeners?.some(({ Port }) => String(Port) === text(call, "Port")) === true
        ? {
            code: "DuplicateListener",
            message: `A listener already exists on this port for this load balancer '${arn}'`,
          }
        : undefined;
    }
    const attributes = await aws.elb
      .send(new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn: arn }))
      .catch(() => undefined);
    const guarded = attributes?.Attributes?.find(({ Key }) => Key === "deletion_protection.enabled")?.Value;
    return guarded === "true"
      ? {
          code: "OperationNotPermitted",
          message: `Load balancer '${arn}' cannot be deleted because deletion protection is enabled`,
        }
      : undefined;
  },
};
