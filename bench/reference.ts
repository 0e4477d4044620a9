import { streamProgress } from "../lib/progress";
import { ensureFromTable } from "../sandbox/toolchain/ensure";
import type { Tool } from "../sandbox/toolchain/tools";

const NAME = "bench-reference";

const TOOL: Tool = {
  version: "0.35.4",
  purpose: "the benchmarks' reference on client-go, and their writers",
  suits: "*",
  recognise: { by: "version", args: ["version"], pattern: /^bench-reference (\S+)/ },
  download: {},
  build: { folder: "client-go", package: "." },
};

/** The path of the reference program, which is built anew when its sources changed. */
export async function ensureReference(signal: AbortSignal): Promise<string> {
  const progress = streamProgress(process.stderr);
  const found = await ensureFromTable([NAME], { [NAME]: TOOL }, { goFolder: __dirname, signal, progress });
  return found[NAME].path;
}
