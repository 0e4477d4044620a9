import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../deadline";
import { MachineHall } from "./hall";
import { booted, describeMachines, tracesOf, trialFolder, trialHall } from "./trial-hall";
import { trialMachine } from "./trial-machine";

describeMachines("a hall", () => {
  test("cleans up after its owner was killed, starts what should run and has kept the data", async () => {
    const dir = trialFolder();
    const owner = path.join(__dirname, "testdata", "owner.ts");
    const child = spawn(process.execPath, ["--require", require.resolve("tsx/cjs"), owner, dir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await new Promise<void>((resolve, reject) => {
      child.stdout.once("data", () => resolve());
      child.once("exit", () => reject(new Error("The owner ended before it was ready.")));
    });
    await expect(new MachineHall({ dir }).open()).rejects.toThrow(
      `belong to process ${child.pid ?? 0}, which runs`,
    );
    child.kill("SIGKILL");
    await ended;
    const hall = new MachineHall({ dir });
    await hall.open();
    expect((await hall.list()).map(({ id, state }) => `${id} ${state}`)).toEqual(["i-0a1 running"]);
    await booted(hall, "i-0a1");
    expect(await hall.inside("i-0a1").run(["sh", "-euc", "mount /dev/nvme1n1 /data; cat /data/file"])).toBe(
      "kept\n",
    );
    await hall.close();
    expect(await tracesOf(dir)).toEqual([]);
    await rm(dir, { recursive: true });
  });

  test("goes on with what another process left running", async () => {
    const first = trialHall({ lifetime: "detached" });
    await first.open();
    const { dir } = first;
    await first.launch(trialMachine());
    const boot = ["cat", "/proc/sys/kernel/random/boot_id"];
    const before = await first.inside("i-0a1").run(boot);
    first.leave();
    const second = new MachineHall({ dir });
    await second.open();
    expect(await second.inside("i-0a1").run(boot)).toBe(before);
    await second.close();
    expect(await tracesOf(dir)).toEqual([]);
    await second.open();
    await waitFor("the machine to run again", async () => (await second.list())[0]?.state === "running", {
      timeoutMs: 5_000,
    });
    await second.destroy();
  });
});
