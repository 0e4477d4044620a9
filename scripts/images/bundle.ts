// Bundles a program of ours with esbuild into one file for its image.
import path from "node:path";
import * as esbuild from "esbuild";
import CLIENT_EXPORTS from "./kubernetes-client-exports.json";

/**
 * Of @kubernetes/client-node only the kubeconfig reader is used. Its thousand generated files would take twenty seconds to
 * bundle and stay in the memory of every program: `kubernetes-client-exports.json` lists, for the two index files that
 * export them all, the modules that are kept. Tests load no more either (test/harness/transform.js).
 */
const reducedClient: esbuild.Plugin = {
  name: "reduced-kubernetes-client",
  setup(build) {
    for (const [file, modules] of Object.entries(CLIENT_EXPORTS))
      build.onLoad({ filter: new RegExp(`/client-node/dist/${file.replace(".", "\\.")}$`) }, () => ({
        contents: modules.map((module) => `export * from "${module}";\n`).join(""),
      }));
    // node-fetch has large tables of international names, and Node has a fetch of its own.
    build.onResolve({ filter: /^node-fetch$/ }, ({ path }) => ({ path, namespace: "built-in-fetch" }));
    build.onLoad({ filter: /^node-fetch$/, namespace: "built-in-fetch" }, () => ({
      contents: `
        export default (...args) => globalThis.fetch(...args);
        export function Headers(init) { return new globalThis.Headers(init); }`,
    }));
  },
};

/**
 * `api/index.ts` exports the schemas of all kinds beside names that programs need. A module of api that nothing is taken from
 * is left out, although its schemas are made when it is loaded: they would take more memory than the program itself.
 */
const API = path.join(__dirname, "..", "..", "api") + path.sep;
const unusedSchemas: esbuild.Plugin = {
  name: "unused-schemas",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, async ({ path: request, pluginData, ...from }) => {
      if (pluginData === unusedSchemas) return undefined;
      const found = await build.resolve(request, { ...from, pluginData: unusedSchemas });
      return found.path.startsWith(API) ? { ...found, sideEffects: false } : found;
    });
  },
};

/** Bundles a program into one file that needs nothing but Node, and gives the files of which something is in it. */
export async function bundleProgram(entry: string, outfile: string): Promise<string[]> {
  const { metafile } = await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    plugins: [reducedClient, unusedSchemas],
    legalComments: "none",
    logLevel: "error",
    metafile: true,
    // The client library reads its own location from this, which does not exist in a CommonJS bundle.
    define: { "import.meta.url": "__filename" },
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}
