import path from "node:path";
import * as esbuild from "esbuild";

const CLIENT = "@kubernetes/client-node";

/**
 * Of the client library only the reading of kubeconfigs is used. It says nowhere that its thousand generated files do
 * nothing when they are loaded, so that all of them would be in the bundle, and in the memory of every program.
 */
const onlyWhatIsUsed: esbuild.Plugin = {
  name: "only-what-is-used",
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path: wanted, importer, resolveDir, kind, pluginData }) => {
      const isOfClient = wanted === CLIENT || importer.includes(`${path.sep}${CLIENT}${path.sep}`);
      if (!isOfClient || pluginData === CLIENT) return undefined;
      const found = await build.resolve(wanted, { importer, resolveDir, kind, pluginData: CLIENT });
      return { ...found, sideEffects: false };
    });
  },
};

/** Bundles a program into one file that needs nothing but Node. */
export async function bundleProgram(entry: string, outfile: string): Promise<void> {
  await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    plugins: [onlyWhatIsUsed],
    legalComments: "none",
    logLevel: "error",
    // The client library tells where it is by this, which a bundle in CommonJS does not have.
    define: { "import.meta.url": "__filename" },
  });
}
