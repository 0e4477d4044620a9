import type { Log } from "../shell/context";
import { Clients, operation } from "./clients";
import type { AwsContext } from "./core/context";
import { partitionOf } from "./core/context";
import { Deadline } from "./core/deadline";
import type { Values } from "./core/value";
import type { Settings } from "./settings";

/** How long an operation may take when the program sets no customTimeouts. */
const DEFAULT_TIMEOUT_MS = 15 * 60_000;

/** What the engine's request says of how to carry out an operation. */
export interface OperationOptions {
  /** @default 15 minutes */
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
  readonly log?: Log;
}

/** A creation: the token that every call carries, and what is done with the id as soon as there is one. */
export interface CreationOptions {
  readonly token: string;
  readonly started: (id: string) => string;
}

/** One account of AWS as the provider's settings name it: clients by region, and contexts for operations. */
export class AwsSession {
  private readonly clients = new Map<string, Clients>();
  private account: Promise<string> | undefined;

  constructor(readonly settings: Settings) {}

  /** Runs an operation in the region that the properties name, or in the settings' own. */
  run<T>(
    properties: Values,
    options: OperationOptions,
    work: (context: AwsContext) => Promise<T>,
    creation?: CreationOptions,
    token = "",
  ): Promise<T> {
    const region = this.region(properties);
    const { timeoutSeconds = 0, signal, log } = options;
    const milliseconds = timeoutSeconds > 0 ? timeoutSeconds * 1_000 : DEFAULT_TIMEOUT_MS;
    const deadline = new Deadline(milliseconds, signal, (what) => log?.status(`waiting until ${what}`));
    const aws = this.clientsFor(region);
    const context: AwsContext = {
      region,
      partition: partitionOf(region),
      account: () => (this.account ??= this.accountOf(aws)),
      aws,
      deadline,
      token: creation?.token ?? token,
      started: creation?.started ?? ((id) => id),
    };
    const running = { deadline, ...(creation === undefined ? {} : { creation: creation.token }) };
    return operation.run(running, () => work(context));
  }

  /** The region of a resource with these properties. */
  region(properties: Values): string {
    const region = typeof properties.region === "string" ? properties.region : this.settings.region;
    if (region === undefined) {
      throw new Error(
        "The aws provider has no region. Set it: pulumi config set aws:region <region>, or AWS_REGION.",
      );
    }
    return region;
  }

  /** Refuses an account that the settings do not allow; asks AWS only where they name any. */
  async checkAccount(): Promise<void> {
    const { allowedAccountIds, forbiddenAccountIds } = this.settings;
    if (allowedAccountIds.length === 0 && forbiddenAccountIds.length === 0) return;
    const account = await this.run({}, { timeoutSeconds: 60 }, (context) => context.account());
    const allowed = allowedAccountIds.length === 0 || allowedAccountIds.includes(account);
    if (!allowed || forbiddenAccountIds.includes(account)) {
      throw new Error(
        `The credentials belong to account ${account}, which allowedAccountIds or forbiddenAccountIds of the provider do not allow.`,
      );
    }
  }

  /** Ends connections. */
  async close(): Promise<void> {
    for (const clients of this.clients.values()) await clients.close();
  }

  private clientsFor(region: string): Clients {
    const found = this.clients.get(region) ?? new Clients(this.settings, region);
    this.clients.set(region, found);
    return found;
  }

  private async accountOf(aws: Clients): Promise<string> {
    const sts = await aws.sts();
    if (!this.settings.skipRequestingAccountId) return (await sts.getCallerIdentity({})).Account ?? "";
    // The official provider leaves the account empty then; ARNs that AWS gives itself have it all the same.
    return (await sts.getCallerIdentity({}).catch(() => ({ Account: "" }))).Account ?? "";
  }
}
