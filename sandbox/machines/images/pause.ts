import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ExitCode, Failure } from "../../../lib/failure";
import { cacheRoot, withLock } from "../../toolchain";
import { attempt } from "../command";
import { packImage } from "./oci-image";
import { PAUSE_IMAGE } from "./pause-name";

// It sleeps, ends when told to, and collects the ended processes of a pod that shares its process namespace.
const SOURCE = `#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void end(int signal) { (void)signal; _exit(0); }
static void collect(int signal) { (void)signal; while (waitpid(-1, 0, WNOHANG) > 0) {} }
int main(void) { signal(SIGINT, end); signal(SIGTERM, end); signal(SIGCHLD, collect); for (;;) pause(); }
`;

/** The archive of the pause image, made on first use with the host's C compiler. */
export async function ensurePauseImage(): Promise<string> {
  const archive = path.join(cacheRoot(), "container-images", `pause-1-${process.arch}.tar`);
  return withLock(path.join(cacheRoot(), "locks", "pause-image.lock"), async () => {
    if (await exists(archive)) return archive;
    const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-pause-"));
    try {
      const rootfs = path.join(work, "rootfs");
      await mkdir(rootfs);
      await writeFile(path.join(work, "pause.c"), SOURCE);
      await compile(path.join(work, "pause.c"), path.join(rootfs, "pause"));
      await packImage(rootfs, { name: PAUSE_IMAGE, entrypoint: ["/pause"], user: "65535:65535" }, archive);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return archive;
  });
}

async function compile(source: string, program: string): Promise<void> {
  const result = await attempt(["cc", "-static", "-Os", "-s", "-o", program, source]).catch(
    (error: unknown) => {
      throw new Failure(
        "The pause image needs a C compiler. On Debian or Ubuntu: apt-get install gcc libc6-dev.",
        ExitCode.prerequisite,
        { cause: error },
      );
    },
  );
  if (result.code !== 0)
    throw new Failure(`The pause program could not be compiled:\n${result.stderr.trim()}`);
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
