import { isRecord } from "../core/property";
import type { Resource } from "../core/resource";

/** The resources of a stack, as policies of one resource and as those of a stack see them. */
export interface Source {
  readonly stack: string;
  /** What it was read from. */
  readonly kind: "state" | "preview";
  readonly byInputs: readonly Resource[];
  readonly byOutputs: readonly Resource[];
}

/** Reads what `pulumi stack export` or `pulumi preview --json` wrote; undefined where it is neither. */
export function readSource(document: unknown): Source | undefined {
  if (!isRecord(document)) return undefined;
  if (Array.isArray(document.steps)) {
    // A step that deletes has no new state; of a replacement there are several steps with the same one.
    const states = document.steps.filter(isRecord).map(({ newState }) => newState);
    return sourceOf("preview", states);
  }
  const { deployment } = document;
  if (!isRecord(deployment)) return undefined;
  const resources: unknown = deployment.resources ?? [];
  return Array.isArray(resources) ? sourceOf("state", resources) : undefined;
}

function sourceOf(kind: Source["kind"], states: readonly unknown[]): Source {
  // What waits to be deleted is not a part of the stack any more.
  const known = states
    .filter(isRecord)
    .filter((state) => typeof state.urn === "string" && state.delete !== true);
  const byUrn = new Map(known.map((state) => [String(state.urn), state]));
  const unique = [...byUrn.values()];
  const providers = new Map(
    unique
      .filter(({ type }) => String(type).startsWith("pulumi:providers:"))
      .map((state) => [String(state.urn), recordOf(state.inputs)]),
  );
  const resources = (properties: "inputs" | "outputs"): Resource[] =>
    unique.map((state) => resourceOf(state, recordOf(state[properties]), providers));
  return {
    stack: [...byUrn.keys()][0]?.split(":")[2] ?? "",
    kind,
    byInputs: resources("inputs"),
    byOutputs: resources("outputs"),
  };
}

function resourceOf(
  state: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
  providers: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): Resource {
  const urn = String(state.urn);
  // A reference to a provider is its URN and its id.
  const provider =
    typeof state.provider === "string" ? state.provider.split("::").slice(0, 4).join("::") : "";
  return {
    type: String(state.type),
    name: urn.split("::").slice(3).join("::"),
    urn,
    properties,
    isProtected: state.protect === true,
    provider: providers.get(provider) ?? {},
    dependencies: textsOf(state.dependencies),
    propertyDependencies: Object.fromEntries(
      Object.entries(recordOf(state.propertyDependencies)).map(([name, urns]) => [name, textsOf(urns)]),
    ),
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
