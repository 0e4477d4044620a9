import path from "node:path";
import { build } from "esbuild";
import type { Command } from "./follower";

/** Who takes part. */
export const CONTENDERS = [
  "ours",
  "oursAsEvents",
  "stock",
  "clientGoProtobuf",
  "clientGoProtobufPlainList",
  "clientGoJson",
  "clientGoJsonPlainList",
] as const;

/** One who takes part. */
export type Contender = (typeof CONTENDERS)[number];

/** What people call them. */
export const TITLES: Readonly<Record<Contender, string>> = {
  ours: "ours",
  oursAsEvents: "ours, as events",
  stock: "client-node's informer",
  clientGoProtobuf: "client-go, protobuf",
  clientGoProtobufPlainList: "client-go, protobuf, plain list",
  clientGoJson: "client-go, JSON",
  clientGoJsonPlainList: "client-go, JSON, plain list",
};

/**
 * How each is started. client-go streams its first list by default, as events; a plain list is its older way, which takes
 * more memory and is sometimes faster, so both are measured. Ours takes pages by default and can stream too (decision 0012).
 */
export async function commandsOf(
  folder: string,
  reference: string,
): Promise<Readonly<Record<Contender, Command>>> {
  // As they would be deployed: one plain file each, without the loader of TypeScript beside them.
  await build({
    entryPoints: ["ours", "stock"].map((name) => path.join(__dirname, "followers", `${name}.ts`)),
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    logLevel: "error",
  });
  const node = (name: string): Command => ({
    program: process.execPath,
    args: ["--expose-gc", path.join(folder, `${name}.js`)],
  });
  const clientGo = (content: string, stream: boolean): Command => ({
    program: reference,
    args: ["inform", "--content", content],
    env: { KUBE_FEATURE_WatchListClient: String(stream) },
  });
  return {
    ours: node("ours"),
    oursAsEvents: { ...node("ours"), env: { STREAMING_LISTS: "true" } },
    stock: node("stock"),
    clientGoProtobuf: clientGo("protobuf", true),
    clientGoProtobufPlainList: clientGo("protobuf", false),
    clientGoJson: clientGo("json", true),
    clientGoJsonPlainList: clientGo("json", false),
  };
}
