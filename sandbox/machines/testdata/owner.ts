// Opens the hall in the folder that is given, starts a machine with a volume, says so, and waits to be killed.
import { MachineHall } from "../hall";
import { trialMachine } from "../trial-machine";

async function main(dir: string): Promise<void> {
  const hall = new MachineHall({ dir });
  await hall.open();
  await hall.launch(trialMachine());
  await hall.volumes.create({ id: "vol-0a1", sizeGiB: 1 });
  await hall.volumes.attach("vol-0a1", "i-0a1", "/dev/sdf");
  const script =
    "mkfs.ext4 -q /dev/nvme1n1 && mkdir /data && mount /dev/nvme1n1 /data && echo kept >/data/file && sync /data/file";
  await hall.inside("i-0a1").run(["sh", "-euc", script]);
  await hall.switchboard.forward({
    id: "door",
    listen: { side: "inside", host: "10.0.1.1", port: 6443 },
    target: { side: "outside", host: "127.0.0.1", port: 9 },
  });
  console.log("ready");
  setInterval(() => {}, 1_000_000);
}

void main(process.argv[2] ?? "");
