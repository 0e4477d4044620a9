// A process that owns a machine host: main.ts DIR. It starts a machine with a volume, prints "ready" and waits to be killed.
import { MachineHost } from "../../machine-host";
import { machineSpecFixture } from "../machine-spec";

async function main(dir: string): Promise<void> {
  const machineHost = new MachineHost({ dir });
  await machineHost.open();
  await machineHost.launch(machineSpecFixture());
  await machineHost.volumes.create({ id: "vol-0a1", sizeGiB: 1 });
  await machineHost.volumes.attach("vol-0a1", "i-0a1", "/dev/sdf");
  const script =
    "mkfs.ext4 -q /dev/nvme1n1 && mkdir /data && mount /dev/nvme1n1 /data && echo kept >/data/file && sync /data/file";
  await machineHost.inside("i-0a1").run(["sh", "-euc", script]);
  await machineHost.networkServices.forwardPort({
    id: "api",
    listen: { side: "inside", host: "10.0.1.1", port: 6443 },
    target: { side: "outside", host: "127.0.0.1", port: 9 },
  });
  console.log("ready");
  setInterval(() => {}, 1_000_000);
}

void main(process.argv[2] ?? "");
