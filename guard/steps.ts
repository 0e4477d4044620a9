/** A step of a preview, as `pulumi preview --json` writes it. */
export interface Step {
  readonly op: string;
  readonly urn: string;
}

/** A step that would lose something that cannot be made again. */
export interface Danger {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly op: string;
  /** What would be lost. */
  readonly loses: string;
}

/** Types that hold what only they hold. */
const PRECIOUS: Readonly<Record<string, string>> = {
  "aws:ebs/volume:Volume": "the data on the volume; for a state volume, a member of etcd",
  "aws:eks/cluster:Cluster": "the cluster and everything in it",
  "aws:kms/key:Key": "all that was encrypted with the key",
  "aws:s3/bucket:Bucket": "what is in the bucket, such as snapshots of etcd",
  "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition":
    "every object of the kind, by whomever it was made",
};

/** The address of a member of etcd: with another one it is another member. */
const MEMBER_ADDRESS = {
  type: "aws:ec2/networkInterface:NetworkInterface",
  within: "fleetwright:index:StateVolume$",
  loses: "the fixed address of a server, and with it its place in etcd",
};

/** What takes a resource away, or puts a new one in its place. */
const TAKES_AWAY = new Set([
  "delete",
  "replace",
  "create-replacement",
  "delete-replaced",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);

/** The steps of a preview that would lose what cannot be made again, each resource once. */
export function dangersIn(steps: readonly Step[]): Danger[] {
  const found = new Map<string, Danger>();
  for (const { op, urn } of steps) {
    if (!TAKES_AWAY.has(op) || found.has(urn)) continue;
    const [, , types = "", name = ""] = urn.split("::");
    const type = types.split("$").at(-1) ?? "";
    const isMember = type === MEMBER_ADDRESS.type && types.includes(MEMBER_ADDRESS.within);
    const loses = isMember ? MEMBER_ADDRESS.loses : PRECIOUS[type];
    if (loses !== undefined)
      found.set(urn, { urn, type, name, op: op === "delete" ? "delete" : "replace", loses });
  }
  return [...found.values()];
}

/** Splits dangers by what was allowed, by name or URN; allowances that nothing needs are told, as they are forgotten ones. */
export function weigh(
  dangers: readonly Danger[],
  allowed: readonly string[],
): { refused: Danger[]; accepted: Danger[]; unused: string[] } {
  const isAllowed = ({ urn, name }: Danger): boolean => allowed.includes(urn) || allowed.includes(name);
  return {
    refused: dangers.filter((danger) => !isAllowed(danger)),
    accepted: dangers.filter(isAllowed),
    unused: allowed.filter((word) => !dangers.some(({ urn, name }) => word === urn || word === name)),
  };
}

/** Reads what `pulumi preview --json` printed; throws where it is something else. */
export function parsePreview(text: string): Step[] {
  const document: unknown = JSON.parse(text);
  const steps: unknown =
    typeof document === "object" && document !== null ? Reflect.get(document, "steps") : undefined;
  // A preview that failed half-way has steps as well, but not all of them.
  const diagnostics: unknown = Reflect.get(document as object, "diagnostics");
  const failed =
    Array.isArray(diagnostics) &&
    diagnostics.some((entry: unknown) => isRecord(entry) && entry.severity === "error");
  if (!Array.isArray(steps) || failed)
    throw new Error(failed ? "the preview itself failed" : "it has no list of steps");
  return steps.map((step: unknown) => {
    if (!isRecord(step) || typeof step.op !== "string" || typeof step.urn !== "string")
      throw new Error("it has a step without op and urn");
    return { op: step.op, urn: step.urn };
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
