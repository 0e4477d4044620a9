import { isObject } from "../../lib/json";

/** A step of a preview, as `pulumi preview --json` writes it. */
export interface Step {
  readonly op: string;
  readonly urn: string;
}

/** A step that would lose something irreplaceable. */
export interface Loss {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly op: string;
  /** What would be lost. */
  readonly loses: string;
}

/** Types whose resources cannot be restored, and what would be lost. */
const IRREPLACEABLE: Readonly<Record<string, string>> = {
  "aws:ebs/volume:Volume": "the data on the volume; for a state volume, an etcd member",
  "aws:eks/cluster:Cluster": "the cluster and everything in it",
  "aws:kms/key:Key": "everything encrypted with the key",
  "aws:s3/bucket:Bucket": "the contents of the bucket, such as etcd snapshots",
  "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": "every object of the kind",
};

/** The address of an etcd member: with another address it is another member. */
const MEMBER_ADDRESS = {
  type: "aws:ec2/networkInterface:NetworkInterface",
  within: "fleetwright:index:StateVolume$",
  loses: "the fixed address of a server, and with it its etcd membership",
};

/** Operations that delete or replace a resource. */
const LOSING_OPERATIONS = new Set([
  "delete",
  "replace",
  "create-replacement",
  "delete-replaced",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);

/** The steps of a preview that would lose something irreplaceable, each resource once. */
export function lossesIn(steps: readonly Step[]): Loss[] {
  const found = new Map<string, Loss>();
  for (const { op, urn } of steps) {
    if (!LOSING_OPERATIONS.has(op) || found.has(urn)) continue;
    const [, , types = "", name = ""] = urn.split("::");
    const type = types.split("$").at(-1) ?? "";
    const isMember = type === MEMBER_ADDRESS.type && types.includes(MEMBER_ADDRESS.within);
    const loses = isMember ? MEMBER_ADDRESS.loses : IRREPLACEABLE[type];
    if (loses !== undefined)
      found.set(urn, { urn, type, name, op: op === "delete" ? "delete" : "replace", loses });
  }
  return [...found.values()];
}

/** Splits losses by whether they are allowed, by name or URN. Unused allowances are returned too: they may be left over. */
export function sortLosses(
  losses: readonly Loss[],
  allowed: readonly string[],
): { denied: Loss[]; allowed: Loss[]; unused: string[] } {
  const isAllowed = ({ urn, name }: Loss): boolean => allowed.includes(urn) || allowed.includes(name);
  return {
    denied: losses.filter((loss) => !isAllowed(loss)),
    allowed: losses.filter(isAllowed),
    unused: allowed.filter((word) => !losses.some(({ urn, name }) => word === urn || word === name)),
  };
}

/** Reads the output of `pulumi preview --json`; throws if it is something else. */
export function parsePreview(text: string): Step[] {
  const document: unknown = JSON.parse(text);
  const steps: unknown =
    typeof document === "object" && document !== null ? Reflect.get(document, "steps") : undefined;
  // A preview that failed half-way has steps too, but not all of them.
  const diagnostics: unknown = Reflect.get(document as object, "diagnostics");
  const failed =
    Array.isArray(diagnostics) &&
    diagnostics.some((entry: unknown) => isObject(entry) && entry.severity === "error");
  if (!Array.isArray(steps) || failed)
    throw new Error(failed ? "the preview itself failed" : "it has no steps");
  return steps.map((step: unknown) => {
    if (!isObject(step) || typeof step.op !== "string" || typeof step.urn !== "string")
      throw new Error("a step has no op or urn");
    return { op: step.op, urn: step.urn };
  });
}
