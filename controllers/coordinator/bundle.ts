// Bundles the coordinator into one file that needs nothing but Node: npx tsx controllers/coordinator/bundle.ts <file>
import path from "node:path";
import { build } from "esbuild";

/** Writes the bundle. */
export async function bundleCoordinator(outfile: string): Promise<void> {
  await build({
    entryPoints: [path.join(__dirname, "main.ts")],
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

if (require.main === module) {
  const [outfile = path.join(process.cwd(), "coordinator.js")] = process.argv.slice(2);
  void bundleCoordinator(outfile);
}
