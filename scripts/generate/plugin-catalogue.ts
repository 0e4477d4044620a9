import { bundledSpecs } from "./bundled-plugins";
import type { GeneratedFiles } from "./index";

/** The bundled plugins as plain data that a program can declare without reading plugins/. */
export function pluginCatalogueFiles(): GeneratedFiles {
  return new Map([["components/addons/catalogue.json", JSON.stringify(bundledSpecs())]]);
}
