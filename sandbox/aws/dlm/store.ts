import { isObject, parseJson } from "../../../lib/json";
import { readIfPresent, writePrivateSync } from "../../../lib/files";

/** A lifecycle policy as the API has it. */
export interface LifecyclePolicy {
  readonly PolicyId: string;
  readonly PolicyArn: string;
  readonly DateCreated: string;
  DateModified: string;
  Description: unknown;
  State: unknown;
  ExecutionRoleArn: unknown;
  PolicyDetails: Record<string, unknown>;
  Tags: Record<string, unknown>;
}

/** The lifecycle policies of an account, kept in one file. */
export class PolicyStore {
  private constructor(
    readonly policies: Record<string, LifecyclePolicy>,
    private readonly file: string | undefined,
  ) {}

  /** Reads the store; without a file it lives in memory. */
  static async open(file: string | undefined): Promise<PolicyStore> {
    const found = parseJson((file === undefined ? undefined : await readIfPresent(file)) ?? "{}");
    // The file is ours and written whole.
    return new PolicyStore(isObject(found) ? (found as Record<string, LifecyclePolicy>) : {}, file);
  }

  /** Writes the store, whole or not at all. */
  save(): void {
    if (this.file !== undefined) writePrivateSync(this.file, JSON.stringify(this.policies));
  }
}
