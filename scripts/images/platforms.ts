import { ExitCode, Failure } from "../../lib/failure";
import type { NodeArchitecture } from "../../sandbox/node-release";

/** A processor that images are built for, by everybody's name for it. */
export interface Platform {
  /** As OCI names it. */
  readonly architecture: "amd64" | "arm64";
  /** As Node and npm name it. */
  readonly node: NodeArchitecture;
  readonly debian: "amd64" | "arm64";
  /** The folder of Debian's libraries. */
  readonly triplet: string;
  /** What the kernel starts a program with. */
  readonly interpreter: string;
}

/** Every processor that images are built for. */
export const PLATFORMS: readonly Platform[] = [
  {
    architecture: "amd64",
    node: "x64",
    debian: "amd64",
    triplet: "x86_64-linux-gnu",
    interpreter: "lib64/ld-linux-x86-64.so.2",
  },
  {
    architecture: "arm64",
    node: "arm64",
    debian: "arm64",
    triplet: "aarch64-linux-gnu",
    interpreter: "lib/ld-linux-aarch64.so.1",
  },
];

/** The platforms that a list such as `linux/amd64,linux/arm64` names. */
export function platformsOf(list: string): Platform[] {
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !PLATFORMS.some((one) => nameOf(one) === name));
  if (unknown.length > 0)
    throw new Failure(
      `--platform names ${unknown.map((name) => JSON.stringify(name)).join(", ")}: use ${PLATFORMS.map(nameOf).join(", ")}, separated by commas.`,
      ExitCode.usage,
    );
  return PLATFORMS.filter((one) => names.includes(nameOf(one)));
}

/** `linux/amd64` */
export function nameOf({ architecture }: Platform): string {
  return `linux/${architecture}`;
}
