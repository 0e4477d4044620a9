import { dump, load } from "js-yaml";
import { listAt, textAt } from "../lib/json";

/** One kubeconfig out of several. The first one says which context is meant; what has the same name counts once. */
export function mergeKubeconfigs(texts: readonly string[]): string {
  const files = texts.map((text): unknown => load(text));
  const named = (list: string): unknown[] => {
    const all = files.flatMap((file) => listAt(file, list));
    return all.filter(
      (entry, index) => all.findIndex((other) => textAt(other, "name") === textAt(entry, "name")) === index,
    );
  };
  return dump({
    apiVersion: "v1",
    kind: "Config",
    "current-context": textAt(files[0], "current-context") ?? "",
    clusters: named("clusters"),
    users: named("users"),
    contexts: named("contexts"),
  });
}
