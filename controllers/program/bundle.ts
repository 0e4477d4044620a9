import { build } from "esbuild";

/** Bundles a program into one file that needs nothing but Node. */
export async function bundleProgram(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    // Stacks in logs name our files and lines.
    sourcemap: "inline",
    sourcesContent: false,
    legalComments: "none",
    logLevel: "error",
    // The client library tells where it is by this, which a bundle in CommonJS does not have.
    define: { "import.meta.url": "__filename" },
  });
}
