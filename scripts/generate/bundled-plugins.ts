import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { load } from "js-yaml";
import { plugin, type Plugin } from "../../api";

/** The plugins of the catalogue: each as it is written, and with all defaults. */
export function bundledPlugins(): { written: { spec: object }; parsed: Plugin }[] {
  const folder = path.resolve(__dirname, "../../plugins");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml") && name !== "role.yaml")
    .sort()
    .map((name) => load(readFileSync(path.join(folder, name), "utf8")))
    .map((document) => ({ written: document as { spec: object }, parsed: plugin.parse(document) }));
}

/** Their specs by name, in the shape of catalogue.json. */
export function bundledSpecs(): Record<string, object> {
  return Object.fromEntries(
    bundledPlugins().map(({ written, parsed }) => [parsed.metadata.name, written.spec]),
  );
}
