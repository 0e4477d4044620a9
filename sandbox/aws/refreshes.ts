import { randomUUID } from "node:crypto";
import {
  DescribeAutoScalingGroupsCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import type { RawAnswer } from "./backend";
import { text } from "./call";
import type { Addition } from "./rule";

interface Refresh {
  id: string;
  group: string;
  startedAt: string;
}

const XMLNS = "http://autoscaling.amazonaws.com/doc/2011-01-01/";

/** Instance refresh: every instance of a group is replaced at once, with the group's template as it is now. */
export function instanceRefreshes(): Addition {
  const refreshes: Refresh[] = [];
  return {
    name: "instance refresh",
    async answer(call, { aws, now }) {
      if (call.service !== "autoscaling") return undefined;
      const group = text(call, "AutoScalingGroupName") ?? "";
      if (call.action === "DescribeInstanceRefreshes") {
        return result(
          call.action,
          refreshes
            .filter((refresh) => refresh.group === group)
            .map(describe)
            .reverse()
            .join(""),
        );
      }
      if (call.action !== "StartInstanceRefresh") return undefined;
      const answer = await aws.autoscaling.send(
        new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group] }),
      );
      const found = answer.AutoScalingGroups?.[0];
      if (found === undefined) {
        const message = `AutoScalingGroup name not found - AutoScalingGroup '${group}' not found`;
        return { code: "ValidationError", message };
      }
      for (const { InstanceId } of found.Instances ?? []) {
        await aws.autoscaling.send(
          new TerminateInstanceInAutoScalingGroupCommand({
            InstanceId,
            ShouldDecrementDesiredCapacity: false,
          }),
        );
      }
      const refresh = { id: randomUUID(), group, startedAt: new Date(now()).toISOString() };
      refreshes.push(refresh);
      return result(call.action, `<InstanceRefreshId>${refresh.id}</InstanceRefreshId>`);
    },
  };
}

function describe({ id, group, startedAt }: Refresh): string {
  return `<member><InstanceRefreshId>${id}</InstanceRefreshId><AutoScalingGroupName>${group}</AutoScalingGroupName><Status>Successful</Status><StartTime>${startedAt}</StartTime><EndTime>${startedAt}</EndTime><PercentageComplete>100</PercentageComplete><InstancesToUpdate>0</InstancesToUpdate></member>`;
}

function result(action: string, inner: string): RawAnswer {
  const body =
    action === "DescribeInstanceRefreshes" ? `<InstanceRefreshes>${inner}</InstanceRefreshes>` : inner;
  const metadata = `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
  return {
    status: 200,
    headers: { "content-type": "text/xml" },
    body: Buffer.from(
      `<${action}Response xmlns="${XMLNS}"><${action}Result>${body}</${action}Result>${metadata}</${action}Response>`,
    ),
  };
}
