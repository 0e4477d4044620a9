import { judgeCertificates } from "./certificates";
import { missingLabels, PLACES } from "./metadata";
import { judgeVolume, type VolumeFacts } from "./volume";

const DEVICE = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0abc";
const well: VolumeFacts = {
  fstab: `UUID=1 / ext4 defaults 0 1\n${DEVICE} /var/lib/rancher ext4 defaults,noatime 0 2\n`,
  mounts:
    "30 1 8:1 / / rw - ext4 /dev/root rw\n40 30 8:2 / /var/lib/rancher rw,noatime shared:1 - ext4 /dev/nvme1n1 rw\n",
  marker: "cluster=dev\nmember=server-0\nvolume=vol-0abc\n",
  used: { bytes: 0.5, files: 0.1 },
};

test.each<[string, Partial<VolumeFacts>, string | undefined]>([
  ["well", {}, "VolumeWell"],
  ["not asked for", { fstab: "UUID=1 / ext4 defaults 0 1\n" }, undefined],
  ["not asked for, in a comment", { fstab: `#${DEVICE} /var/lib/rancher ext4\n` }, undefined],
  ["missing", { mounts: "30 1 8:1 / / rw - ext4 /dev/root rw\n" }, "VolumeMissing"],
  ["read-only by its mount", { mounts: well.mounts.replace("rw,noatime", "ro,noatime") }, "VolumeReadOnly"],
  [
    "read-only by its file system",
    { mounts: well.mounts.replace("nvme1n1 rw", "nvme1n1 ro,errors=x") },
    "VolumeReadOnly",
  ],
  ["without a marker", { marker: undefined }, "VolumeForeign"],
  ["another one", { marker: "cluster=dev\nmember=server-1\nvolume=vol-0def\n" }, "VolumeForeign"],
  ["full", { used: { bytes: 0.96, files: 0.1 } }, "VolumeFull"],
  ["full of small files", { used: { bytes: 0.1, files: 0.99 } }, "VolumeFull"],
  ["not to be measured", { used: undefined }, "VolumeWell"],
])("a state volume that is %s", (_what, facts, reason) => {
  const judged = judgeVolume({ ...well, ...facts });
  expect(judged?.reason).toBe(reason);
  if (judged !== undefined) expect(judged.bad).toBe(reason !== "VolumeWell");
});

test("certificates are told of from 30 days before their end, the first to end first", () => {
  const now = Date.UTC(2026, 0, 1);
  const day = 86_400_000;
  expect(judgeCertificates([], now)).toBeUndefined();
  expect(judgeCertificates([{ file: "/a.crt", notAfter: now + 31 * day }], now)?.bad).toBe(false);
  const soon = judgeCertificates(
    [
      { file: "/b.crt", notAfter: now + 29 * day },
      { file: "/a.crt", notAfter: now + 3 * day },
      { file: "/c.crt", notAfter: now + 300 * day },
    ],
    now,
  );
  expect(soon).toMatchObject({ bad: true, reason: "CertificateExpiresSoon" });
  expect(soon?.message).toMatch(/^\/a\.crt \(2026-01-04\), \/b\.crt \(2026-01-30\): rotate/);
  expect(judgeCertificates([{ file: "/a.crt", notAfter: now }], now)?.reason).toBe("CertificateExpired");
});

test("only labels that nobody has set are missing, and none while a cloud controller is awaited", () => {
  const all = Object.keys(PLACES);
  expect(missingLabels({}, [])).toEqual(all);
  expect(missingLabels({ "topology.kubernetes.io/zone": "eu-central-1a" }, [])).toEqual(
    all.filter((label) => !label.endsWith("zone")),
  );
  expect(missingLabels({}, ["node.cloudprovider.kubernetes.io/uninitialized"])).toEqual([]);
});
