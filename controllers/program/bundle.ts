import * as esbuild from "esbuild";
import PARTS_OF_CLIENT from "./parts-of-client.json";

/**
 * Of the client library only the reading of kubeconfigs is used. Its thousand generated files would take twenty seconds
 * to read here, and be in the memory of every program: what the reading needs of the two files that name all others is
 * in `parts-of-client.json`. Tests load no more either (test/transform.js).
 */
const onlyWhatIsUsed: esbuild.Plugin = {
  name: "only-what-is-used",
  setup(build) {
    for (const [file, parts] of Object.entries(PARTS_OF_CLIENT))
      build.onLoad({ filter: new RegExp(`/client-node/dist/${file.replace(".", "\\.")}$`) }, () => ({
        contents: parts.map((part) => `export * from "${part}";\n`).join(""),
      }));
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
