// What Kubernetes made in AWS for Services and claims, and what no stack knows of: found by the tag of its cluster.
import { type EC2Client, paginateDescribeSecurityGroups, paginateDescribeVolumes } from "@aws-sdk/client-ec2";
import {
  DescribeTagsCommand,
  type ElasticLoadBalancingV2Client,
  paginateDescribeLoadBalancers,
} from "@aws-sdk/client-elastic-load-balancing-v2";
import { classicBalancers } from "./classic-balancers";

/** Something that stays in AWS after its cluster has gone. */
export interface Leftover {
  readonly kind: "load balancer" | "volume" | "security group";
  /** By which AWS knows it. */
  readonly id: string;
  /** The object of Kubernetes that it was made for. */
  readonly madeFor: string;
  /** The command of the AWS CLI that removes it. */
  readonly removal: string;
}

type Tags = readonly { Key?: string | undefined; Value?: string | undefined }[];

/** As many as AWS gives in one answer. All in one, as without a number, take it so long in large accounts that it gives up. */
const PAGE_SIZE = 1000;

/** Tags of one request of DescribeTags. */
const MAX_ARNS = 20;

/** Everything that is left of a cluster, the balancers first: they hold security groups and subnets. */
export async function leftoversOf(
  cluster: string,
  clients: { readonly ec2: EC2Client; readonly elb: ElasticLoadBalancingV2Client },
  pageSize = PAGE_SIZE,
): Promise<Leftover[]> {
  return [
    ...(await balancers(cluster, clients.elb)),
    ...(await classics(cluster, clients.elb)),
    ...(await securityGroups(cluster, clients.ec2, pageSize)),
    ...(await volumes(cluster, clients.ec2)),
  ];
}

async function balancers(cluster: string, elb: ElasticLoadBalancingV2Client): Promise<Leftover[]> {
  const arns: string[] = [];
  for await (const page of paginateDescribeLoadBalancers({ client: elb }, {}))
    arns.push(...(page.LoadBalancers ?? []).flatMap(({ LoadBalancerArn }) => LoadBalancerArn ?? []));
  const found: Leftover[] = [];
  for (let from = 0; from < arns.length; from += MAX_ARNS) {
    const part = arns.slice(from, from + MAX_ARNS);
    const { TagDescriptions } = await elb.send(new DescribeTagsCommand({ ResourceArns: part }));
    for (const { ResourceArn: id = "", Tags: tags = [] } of TagDescriptions ?? []) {
      if (!isOf(cluster, tags)) continue;
      const removal = `aws elbv2 delete-load-balancer --load-balancer-arn ${id}`;
      found.push({ kind: "load balancer", id, madeFor: madeFor(tags), removal });
    }
  }
  return found;
}

/** What a plain Service of type LoadBalancer makes. */
async function classics(cluster: string, elb: ElasticLoadBalancingV2Client): Promise<Leftover[]> {
  const all = await classicBalancers(elb);
  return all
    .filter(({ tags }) => isOf(cluster, tags))
    .map(({ name: id, tags }) => ({
      kind: "load balancer",
      id,
      madeFor: madeFor(tags),
      removal: `aws elb delete-load-balancer --load-balancer-name ${id}`,
    }));
}

async function securityGroups(cluster: string, ec2: EC2Client, pageSize: number): Promise<Leftover[]> {
  const found: Leftover[] = [];
  const filters = [{ Name: "tag-key", Values: clusterTags(cluster) }];
  const pages = paginateDescribeSecurityGroups({ client: ec2, pageSize }, { Filters: filters });
  for await (const page of pages) {
    for (const { GroupId: id = "", Tags: tags = [] } of page.SecurityGroups ?? []) {
      if (!isOf(cluster, tags)) continue;
      const removal = `aws ec2 delete-security-group --group-id ${id}`;
      found.push({ kind: "security group", id, madeFor: madeFor(tags), removal });
    }
  }
  return found;
}

async function volumes(cluster: string, ec2: EC2Client): Promise<Leftover[]> {
  const found: Leftover[] = [];
  // The EBS driver tags no volume in another way.
  const filters = [{ Name: `tag:kubernetes.io/cluster/${cluster}`, Values: ["owned"] }];
  for await (const page of paginateDescribeVolumes({ client: ec2 }, { Filters: filters })) {
    for (const { VolumeId: id = "", Tags: tags = [] } of page.Volumes ?? []) {
      // The disks of EKS's own nodes go with their machines; those of claims say whose they are.
      if (!isOf(cluster, tags) || valueOf(tags, PVC) === undefined) continue;
      const removal = `aws ec2 delete-volume --volume-id ${id}`;
      found.push({ kind: "volume", id, madeFor: madeFor(tags), removal });
    }
  }
  return found;
}

const CONTROLLER = "elbv2.k8s.aws/cluster";
const PVC = "kubernetes.io/created-for/pvc/name";

/** Of the cloud controller and the EBS driver, and of the AWS Load Balancer Controller. */
function clusterTags(cluster: string): string[] {
  return [`kubernetes.io/cluster/${cluster}`, CONTROLLER];
}

function isOf(cluster: string, tags: Tags): boolean {
  const owned = valueOf(tags, `kubernetes.io/cluster/${cluster}`);
  return owned === "owned" || valueOf(tags, CONTROLLER) === cluster;
}

function madeFor(tags: Tags): string {
  const service =
    valueOf(tags, "kubernetes.io/service-name") ??
    valueOf(tags, "service.k8s.aws/stack") ??
    valueOf(tags, "ingress.k8s.aws/stack");
  if (service !== undefined) return service;
  const claim = valueOf(tags, PVC);
  const namespace = valueOf(tags, "kubernetes.io/created-for/pvc/namespace");
  return claim === undefined ? "unknown" : `claim ${namespace ?? ""}/${claim}`;
}

function valueOf(tags: Tags, key: string): string | undefined {
  return tags.find(({ Key }) => Key === key)?.Value;
}
