import { DescribeClusterCommand, type Cluster } from "@aws-sdk/client-eks";
import type { RawAnswer } from "../backend";
import type { Refusal } from "../answer";
import { text, type Call } from "../call";
import { partitionOf } from "../partition";
import type { Addition, RuleContext } from "../rule";
import type { ClusterRecord, EksStore } from "./store";

/** A call of EKS about a cluster that exists. */
export interface ClusterCall {
  call: Call;
  context: RuleContext;
  clusterName: string;
  cluster: Cluster;
  record: ClusterRecord;
  /** The time in seconds, as EKS writes it. */
  now: number;
}

/** Answers one action. */
export type Handler = (
  request: ClusterCall,
) => RawAnswer | Refusal | undefined | Promise<RawAnswer | Refusal | undefined>;

/** An addition whose handlers all need the cluster to exist; what they change is saved. */
export function clusterAddition(
  name: string,
  store: EksStore,
  handlers: Readonly<Record<string, Handler>>,
): Addition {
  return {
    name,
    async answer(call, context) {
      const handler = call.service === "eks" ? handlers[call.action] : undefined;
      if (handler === undefined) return undefined;
      const clusterName = text(call, "clusterName") ?? text(call, "name") ?? "";
      const cluster = await findCluster(context, clusterName);
      if (cluster === undefined) return noCluster(clusterName);
      const record = store.cluster(clusterName);
      const outcome = await handler({
        call,
        context,
        clusterName,
        cluster,
        record,
        now: context.now() / 1000,
      });
      if (call.mutating) store.save();
      return outcome;
    },
  };
}

/** What moto says about a cluster. */
export async function findCluster({ aws }: RuleContext, name: string): Promise<Cluster | undefined> {
  const answer = await aws.eks.send(new DescribeClusterCommand({ name })).catch(() => undefined);
  return answer?.cluster;
}

/** The refusal for a cluster that does not exist. */
export function noCluster(name: string): Refusal {
  return { code: "ResourceNotFoundException", message: `No cluster found for name: ${name}.`, status: 404 };
}

/** A refusal for something of a cluster that does not exist. */
export function notFound(message: string): Refusal {
  return { code: "ResourceNotFoundException", message, status: 404 };
}

/** A refusal for something that exists already. */
export function inUse(message: string): Refusal {
  return { code: "ResourceInUseException", message, status: 409 };
}

/** The ARN of something that belongs to a cluster. */
export function arnOf(region: string, account: string, kind: string, ...path: string[]): string {
  return `arn:${partitionOf(region)}:eks:${region}:${account}:${kind}/${path.join("/")}`;
}
