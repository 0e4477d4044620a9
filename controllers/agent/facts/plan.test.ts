import { METADATA_PATHS } from "./metadata";
import { evaluateCertificates, evaluateVolume, missingLabels, type VolumeFacts } from "./plan";

const DEVICE = "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0abc";
const healthy: VolumeFacts = {
  fstab: `UUID=1 / ext4 defaults 0 1\n${DEVICE} /var/lib/rancher ext4 defaults,noatime 0 2\n`,
  mounts:
    "30 1 8:1 / / rw - ext4 /dev/root rw\n40 30 8:2 / /var/lib/rancher rw,noatime shared:1 - ext4 /dev/nvme1n1 rw\n",
  marker: "cluster=dev\nmember=server-0\nvolume=vol-0abc\n",
  used: { bytes: 0.5, files: 0.1 },
};

test.each<[string, Partial<VolumeFacts>, string | undefined]>([
  ["healthy", {}, "VolumeHealthy"],
  ["not declared", { fstab: "UUID=1 / ext4 defaults 0 1\n" }, undefined],
  ["declared in a comment only", { fstab: `#${DEVICE} /var/lib/rancher ext4\n` }, undefined],
  ["missing", { mounts: "30 1 8:1 / / rw - ext4 /dev/root rw\n" }, "VolumeMissing"],
  [
    "read-only by its mount",
    { mounts: healthy.mounts.replace("rw,noatime", "ro,noatime") },
    "VolumeReadOnly",
  ],
  [
    "read-only by its file system",
    { mounts: healthy.mounts.replace("nvme1n1 rw", "nvme1n1 ro,errors=x") },
    "VolumeReadOnly",
  ],
  ["without a marker", { marker: undefined }, "VolumeForeign"],
  ["another one", { marker: "cluster=dev\nmember=server-1\nvolume=vol-0def\n" }, "VolumeForeign"],
  ["full", { used: { bytes: 0.96, files: 0.1 } }, "VolumeFull"],
  ["full of small files", { used: { bytes: 0.1, files: 0.99 } }, "VolumeFull"],
  ["not measurable", { used: undefined }, "VolumeHealthy"],
])("a state volume that is %s", (_what, facts, reason) => {
  const state = evaluateVolume({ ...healthy, ...facts });
  expect(state?.reason).toBe(reason);
  if (state !== undefined) expect(state.bad).toBe(reason !== "VolumeHealthy");
});

test("certificates are reported from 30 days before they expire, the earliest first", () => {
  const now = Date.UTC(2026, 0, 1);
  const day = 86_400_000;
  expect(evaluateCertificates([], now)).toBeUndefined();
  expect(evaluateCertificates([{ file: "/a.crt", notAfter: now + 31 * day }], now)?.bad).toBe(false);
  const soon = evaluateCertificates(
    [
      { file: "/b.crt", notAfter: now + 29 * day },
      { file: "/a.crt", notAfter: now + 3 * day },
      { file: "/c.crt", notAfter: now + 300 * day },
    ],
    now,
  );
  expect(soon).toMatchObject({ bad: true, reason: "CertificateExpiresSoon" });
  expect(soon?.message).toMatch(/^\/a\.crt \(2026-01-04\), \/b\.crt \(2026-01-30\): rotate/);
  expect(evaluateCertificates([{ file: "/a.crt", notAfter: now }], now)?.reason).toBe("CertificateExpired");
});

test("only unset labels are missing, and none until the cloud controller has initialized the node", () => {
  const all = Object.keys(METADATA_PATHS);
  expect(missingLabels({}, [])).toEqual(all);
  expect(missingLabels({ "topology.kubernetes.io/zone": "eu-central-1a" }, [])).toEqual(
    all.filter((label) => !label.endsWith("zone")),
  );
  expect(missingLabels({}, ["node.cloudprovider.kubernetes.io/uninitialized"])).toEqual([]);
});
