import path from "node:path";

const ROOT = path.dirname(path.dirname(path.dirname(__dirname)));

/** Makes one JavaScript file of the stand-in and everything that it imports. */
export async function bundleStandIn(): Promise<Uint8Array> {
  const esbuild = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(__dirname, "standin", "main.ts")],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "silent",
  });
  const [made] = outputFiles;
  if (made === undefined) throw new Error("esbuild made nothing of the stand-in for RKE2.");
  return made.contents;
}
