// How a machine enters its control group while that of another sandbox goes.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { removeCgroup } from "./cgroup";
import { describeMachines } from "./testing/machine-host";

const BOOT = path.join(__dirname, "boot.sh");
/** Each has the parent taken away from it at some time. */
const BOOTS = 60;

describeMachines("a machine that boots", () => {
  test("enters its control group although another sandbox keeps taking the empty parent away", async () => {
    const parent = `fleetwright-boot-test-${process.pid}`;
    const folder = mkdtempSync(path.join(tmpdir(), "fleetwright-boot-"));
    const remover = spawn(
      "sh",
      ["-c", `while :; do rmdir /sys/fs/cgroup/${parent} /sys/fs/cgroup/*/${parent}; sleep 0.001; done`],
      {
        stdio: "ignore",
      },
    );
    const failures: string[] = [];
    try {
      for (let boot = 0; boot < BOOTS; boot++) {
        // Past the control group it ends, because there is no image to mount.
        const end = promisify(execFile)("unshare", [
          ...["--mount", "sh", BOOT, `${parent}/machine-${boot}`, "/nowhere", folder, "nspawn"],
        ]);
        const { stderr } = await end.then(
          () => ({ stderr: "" }),
          (error: unknown) => error as { stderr: string },
        );
        failures.push(...stderr.split("\n").filter((line) => line.includes(parent)));
        expect(stderr).toContain("mount");
      }
      expect(failures).toEqual([]);
    } finally {
      remover.kill("SIGKILL");
      await removeCgroup(parent);
      rmSync(folder, { recursive: true });
    }
  });
});
