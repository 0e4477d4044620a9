// AWS's clients for the provider, with one deadline and one token for all calls of an operation.
import { AsyncLocalStorage } from "node:async_hooks";
import type { AutoScaling } from "@aws-sdk/client-auto-scaling";
import type { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import type { EC2 } from "@aws-sdk/client-ec2";
import type { EKS } from "@aws-sdk/client-eks";
import type { ElasticLoadBalancingV2 } from "@aws-sdk/client-elastic-load-balancing-v2";
import type { IAM } from "@aws-sdk/client-iam";
import type { KMS } from "@aws-sdk/client-kms";
import type { Route53 } from "@aws-sdk/client-route-53";
import type { S3 } from "@aws-sdk/client-s3";
import type { SSM } from "@aws-sdk/client-ssm";
import type { STS } from "@aws-sdk/client-sts";
import { isAbsent, isNotVisibleYet, isStillUsed } from "./core/errors";
import { isRecord } from "./core/value";
import { Deadline } from "./core/deadline";
import { Dlm } from "./dlm";
import type { Settings } from "./settings";

/** The operation that is running. Every call to AWS is made within one. */
export interface Operation {
  /** How long it may take. */
  readonly deadline: Deadline;
  /** The token of a creation: every call that belongs to it carries it. */
  readonly creation?: string;
}

/** The operation that is running. */
export const operation = new AsyncLocalStorage<Operation>();

/**
 * The sandbox answers a call of a creation that it has carried out already with the same answer. AWS itself knows such
 * tokens for some calls only, as a parameter, and takes no notice of this header.
 */
const CREATION_HEADER = "x-fleetwright-creation";

/** How long something that was just made may stay invisible to another part of AWS. */
export const CONSISTENT_AFTER = 10_000;

interface Services {
  autoscaling: AutoScaling;
  cloudwatchlogs: CloudWatchLogs;
  ec2: EC2;
  eks: EKS;
  elbv2: ElasticLoadBalancingV2;
  iam: IAM;
  kms: KMS;
  route53: Route53;
  s3: S3;
  ssm: SSM;
  sts: STS;
}

/** Clients of AWS for one region. A service's code is loaded when it is first used. */
export class Clients {
  private readonly made = new Map<keyof Services, Promise<unknown>>();

  constructor(
    private readonly settings: Settings,
    private readonly region: string,
  ) {}

  autoscaling = (): Promise<AutoScaling> =>
    this.once(
      "autoscaling",
      async () => new (await import("@aws-sdk/client-auto-scaling")).AutoScaling(this.options("autoscaling")),
    );
  logs = (): Promise<CloudWatchLogs> =>
    this.once(
      "cloudwatchlogs",
      async () =>
        new (await import("@aws-sdk/client-cloudwatch-logs")).CloudWatchLogs(
          this.options("cloudwatchlogs", "logs"),
        ),
    );
  ec2 = (): Promise<EC2> =>
    this.once("ec2", async () => new (await import("@aws-sdk/client-ec2")).EC2(this.options("ec2")));
  eks = (): Promise<EKS> =>
    this.once("eks", async () => new (await import("@aws-sdk/client-eks")).EKS(this.options("eks")));
  elb = (): Promise<ElasticLoadBalancingV2> =>
    this.once("elbv2", async () => {
      const { ElasticLoadBalancingV2 } = await import("@aws-sdk/client-elastic-load-balancing-v2");
      return new ElasticLoadBalancingV2(this.options("elbv2", "elb"));
    });
  iam = (): Promise<IAM> =>
    this.once("iam", async () => new (await import("@aws-sdk/client-iam")).IAM(this.options("iam")));
  kms = (): Promise<KMS> =>
    this.once("kms", async () => new (await import("@aws-sdk/client-kms")).KMS(this.options("kms")));
  route53 = (): Promise<Route53> =>
    this.once(
      "route53",
      async () => new (await import("@aws-sdk/client-route-53")).Route53(this.options("route53")),
    );
  s3 = (): Promise<S3> =>
    this.once("s3", async () => {
      const { S3 } = await import("@aws-sdk/client-s3");
      return new S3({ ...this.options("s3"), forcePathStyle: this.settings.s3UsePathStyle });
    });
  ssm = (): Promise<SSM> =>
    this.once("ssm", async () => new (await import("@aws-sdk/client-ssm")).SSM(this.options("ssm")));
  sts = (): Promise<STS> =>
    this.once("sts", async () => new (await import("@aws-sdk/client-sts")).STS(this.options("sts")));

  dlm = (): Dlm =>
    new Dlm({
      region: this.region,
      endpoint:
        this.settings.endpoints.dlm ??
        process.env.AWS_ENDPOINT_URL_DLM ??
        process.env.AWS_ENDPOINT_URL ??
        `https://dlm.${this.region}.amazonaws.com${this.region.startsWith("cn-") ? ".cn" : ""}`,
      credentials: async () => this.settings.credentials ?? (await this.sts()).config.credentials(),
      headers: creationHeader,
      deadline: () => operation.getStore()?.deadline ?? new Deadline(60_000),
    });

  /** Ends open connections, so that the process can end. */
  async close(): Promise<void> {
    for (const client of this.made.values()) {
      const made = await client;
      if (isClient(made)) made.destroy();
    }
  }

  private options(...names: string[]) {
    const endpoint = names
      .map((name) => this.settings.endpoints[name])
      .find((address) => address !== undefined);
    return {
      region: this.region,
      // The SDK itself waits between the attempts, with jitter, on throttling and on broken connections.
      maxAttempts: this.settings.maxRetries + 1,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(this.settings.credentials === undefined ? {} : { credentials: this.settings.credentials }),
    };
  }

  private once<K extends keyof Services>(name: K, make: () => Promise<Services[K]>): Promise<Services[K]> {
    const found = this.made.get(name);
    if (found !== undefined) return found as Promise<Services[K]>;
    const client = make().then((made) => withRetries(made));
    this.made.set(name, client);
    return client;
  }
}

/** The part of a client's middleware that is used here. */
interface Stacked {
  readonly middlewareStack: {
    add(
      middleware: (
        next: (args: never) => Promise<unknown>,
        context: { commandName?: string },
      ) => (args: never) => Promise<unknown>,
      options: { step: "initialize" | "build"; name: string },
    ): void;
  };
}

/** Makes a client retry the calls that AWS refuses temporarily. */
function withRetries<T extends object>(client: T): T {
  const stacked = client as T & Stacked;
  stacked.middlewareStack.add(
    (next, context) => (args) => persist(context.commandName ?? "", () => next(args)),
    {
      step: "initialize",
      name: "fleetwrightRetry",
    },
  );
  stacked.middlewareStack.add(
    (next) => (args) => {
      const request: unknown = Reflect.get(args, "request");
      const headers: unknown = isRecord(request) ? request.headers : undefined;
      if (isRecord(headers)) Object.assign(headers, creationHeader());
      return next(args);
    },
    { step: "build", name: "fleetwrightCreation" },
  );
  return client;
}

function creationHeader(): Record<string, string> {
  const creation = operation.getStore()?.creation;
  return creation === undefined ? {} : { [CREATION_HEADER]: creation };
}

/** Whether a call takes something away. */
export function isRemoval(command: string): boolean {
  return /^(Delete|Terminate|Detach|Disassociate|Release|Revoke|Deregister|Remove)/.test(command);
}

/** Whether a call only asks. */
export function isQuestion(command: string): boolean {
  return /^(Describe|Get|List|Head)/.test(command);
}

async function persist<T>(command: string, call: () => Promise<T>): Promise<T> {
  const deadline = operation.getStore()?.deadline ?? new Deadline(60_000);
  const consistent = deadline.within(CONSISTENT_AFTER);
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const limit = isRemoval(command)
        ? isStillUsed(error) && deadline
        : !isQuestion(command) && (isAbsent(error) || isNotVisibleYet(error)) && consistent;
      if (limit === false || limit.over) throw error;
      await limit.rest(attempt);
    }
  }
}

function isClient(value: unknown): value is { destroy(): void } {
  return typeof value === "object" && value !== null && "destroy" in value;
}
