import { describeMissing, isDebianLike, missingPackages, SYSTEM_PACKAGES } from "./system-packages";

test.each([
  ['ID=debian\nVERSION_ID="12"', true],
  ["NAME=Mint\nID=linuxmint\nID_LIKE=ubuntu", true],
  ['ID=pop\nID_LIKE="ubuntu debian"', true],
  ['ID=fedora\nID_LIKE="rhel"', false],
  ["PRETTY_NAME=debian-like\nID=arch", false],
  ["", false],
])("%j is made from Debian: %s", (osRelease, expected) => {
  expect(isDebianLike(osRelease)).toBe(expected);
});

test("a package is there if one of its signs is", async () => {
  const packages = [
    { debian: "shell", purpose: "", signs: ["no-such-program-here", "sh"] },
    { debian: "file", purpose: "", signs: ["/no/such/file"] },
    { debian: "tables", purpose: "", signs: ["/etc/passwd"] },
  ];
  expect((await missingPackages(packages)).map(({ debian }) => debian)).toEqual(["file"]);
});

test("one message names every missing package and the command that installs them", () => {
  const message = describeMissing(SYSTEM_PACKAGES);
  expect(message).toContain(
    "apt-get install containerd runc containernetworking-plugins openssh-server nftables e2fsprogs debootstrap iproute2 systemd-container",
  );
  for (const { debian, purpose } of SYSTEM_PACKAGES) expect(message).toContain(`- ${debian}: ${purpose}`);
});
