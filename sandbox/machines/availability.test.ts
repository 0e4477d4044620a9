import { availabilityOf, type HostFacts } from "./availability";

const good: HostFacts = { platform: "linux", uid: 0, missingPrograms: [], loopControl: true, cgroups: "v1" };

test("a Linux host with root and all programs will do", () => {
  expect(availabilityOf(good)).toEqual({ ok: true });
});

test.each<[string, Partial<HostFacts>, string]>([
  ["no root", { uid: 1000 }, "Machines need root; this process has the user id 1000."],
  ["another system", { platform: "darwin" }, "Machines need Linux; this is darwin."],
  [
    "missing programs",
    { missingPrograms: ["debootstrap", "nsenter", "unshare"] },
    "These programs are missing: debootstrap, nsenter, unshare. On Debian or Ubuntu: apt-get install debootstrap util-linux.",
  ],
  ["no loop devices", { loopControl: false }, "There is no /dev/loop-control, so volumes cannot be made."],
  ["no control groups", { cgroups: "none" }, "No control groups are mounted below /sys/fs/cgroup."],
])("%s is reported with its fix", (_name, facts, reason) => {
  expect(availabilityOf({ ...good, ...facts })).toEqual({ ok: false, reason });
});

test("all problems are reported at once", () => {
  const availability = availabilityOf({ ...good, uid: 7, loopControl: false });
  expect(availability).toEqual({
    ok: false,
    reason: expect.stringMatching(/user id 7.*loop-control/) as string,
  });
});
