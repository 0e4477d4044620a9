import { EKS_VERSIONS, RKE2_VERSIONS, RKE_VERSIONS } from "../../api/kubernetes-versions";
import { versionProblems } from "./versions";

it.each([
  ["rke2", RKE2_VERSIONS],
  ["rke", RKE_VERSIONS],
  ["hosted", EKS_VERSIONS],
] as const)("accepts every version in the table of %s", (kind, lines) => {
  for (const { latest, minor } of lines) {
    expect(versionProblems(kind, latest)).toEqual([]);
    expect(latest).toContain(minor);
  }
});

it("accepts any patch of a known line", () => {
  expect(versionProblems("rke2", "v1.35.4+rke2r2")).toEqual([]);
});

it.each([
  ["rke2", "1.35", /^found "1\.35": use a version like v1\.35/],
  ["rke2", "v1.20.1+rke2r1", /1\.20 is not supported .*v1\.36/],
  ["rke2", "v1.35.4-rancher1-1", /use a version like v1\.35/],
  ["rke", "v1.35.4+rke2r1", /use a version like v1\.30/],
  ["hosted", "1.21", /1\.21 is not supported/],
  ["hosted", "v1.35.0", /use a version like 1\.35/],
] as const)("says of %s %s what to use instead", (kind, version, message) => {
  expect(versionProblems(kind, version)).toEqual([
    { path: "version", message: expect.stringMatching(message) as string },
  ]);
});
