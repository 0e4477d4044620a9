import * as esbuild from "esbuild";

/**
 * Of the client library only the reading of kubeconfigs is used. Its thousand generated files would take twenty seconds
 * to read here, and be in the memory of every program: these are what the reading needs of the two files that name them.
 */
const PARTS_OF_CLIENT: readonly { file: RegExp; parts: readonly string[] }[] = [
  { file: /client-node[\\/]dist[\\/]index\.js$/, parts: ["./config.js"] },
  { file: /client-node[\\/]dist[\\/]gen[\\/]index\.js$/, parts: ["./configuration.js", "./servers.js"] },
];

const onlyWhatIsUsed: esbuild.Plugin = {
  name: "only-what-is-used",
  setup(build) {
    for (const { file, parts } of PARTS_OF_CLIENT)
      build.onLoad({ filter: file }, () => ({
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
