import { ensureTools } from "../toolchain";
import type { ComponentName } from "./components";

/** Paths of binaries to use instead of the toolchain's. */
export type ControlPlaneTools = Readonly<Partial<Record<ComponentName, string>>>;

/** Finds the binary of each component: the one given, or the toolchain's, which is made if it must be. */
export async function findTools(
  components: Iterable<ComponentName>,
  given: ControlPlaneTools = {},
  signal?: AbortSignal,
): Promise<ReadonlyMap<ComponentName, string>> {
  const names = [...components];
  const wanted = names.filter((name) => given[name] === undefined);
  const found = await ensureTools(wanted, signal === undefined ? {} : { signal });
  return new Map(names.map((name) => [name, given[name] ?? found[name].path]));
}
