import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { MachineHost } from "./machine-host";
import { booted, describeMachines, testFolder, testMachineHost } from "./testing/machine-host";
import { tracesOf } from "./testing/traces";
import { machineSpecFixture } from "./testing/machine-spec";

describeMachines("a machine host", () => {
  test("cleans up after its owner was killed, starts what should run and has kept the data", async () => {
    const dir = testFolder();
    const owner = path.join(__dirname, "testing", "owner", "main.ts");
    const child = spawn(process.execPath, ["--require", require.resolve("tsx/cjs"), owner, dir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await new Promise<void>((resolve, reject) => {
      child.stdout.once("data", () => resolve());
      child.once("exit", () => reject(new Error("The owner ended before it was ready.")));
    });
    await expect(new MachineHost({ dir }).open()).rejects.toThrow(
      `belong to the running process ${child.pid ?? 0}`,
    );
    child.kill("SIGKILL");
    await ended;
    const machineHost = new MachineHost({ dir });
    await machineHost.open();
    expect((await machineHost.list()).map(({ id, state }) => `${id} ${state}`)).toEqual(["i-0a1 running"]);
    await booted(machineHost, "i-0a1");
    expect(
      await machineHost.inside("i-0a1").run(["sh", "-euc", "mount /dev/nvme1n1 /data; cat /data/file"]),
    ).toBe("kept\n");
    await machineHost.close();
    expect(await tracesOf(dir)).toEqual([]);
    await rm(dir, { recursive: true });
  });

  test("goes on with what another process left running", async () => {
    const first = testMachineHost({ lifetime: "detached" });
    await first.open();
    const { dir } = first;
    await first.launch(machineSpecFixture());
    const boot = ["cat", "/proc/sys/kernel/random/boot_id"];
    const before = await first.inside("i-0a1").run(boot);
    first.leave();
    const second = new MachineHost({ dir });
    await second.open();
    expect(await second.inside("i-0a1").run(boot)).toBe(before);
    await second.close();
    expect(await tracesOf(dir)).toEqual([]);
    await second.open();
    await waitFor("the machine to run again", async () => (await second.list())[0]?.state === "running", {
      timeoutMs: 120_000,
    });
    await second.destroy();
  });
});
