import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { DEFAULT_RELEASE, Rke2Releases } from "./index";
import { kubernetesOf, programsOf, runtimeFolder } from "./version";

describe("releases of the stand-in", () => {
  const releases = new Rke2Releases();
  let base: string;

  beforeAll(async () => {
    base = `http://127.0.0.1:${await releases.listen()}`;
  });
  afterAll(() => releases.close());

  test.each(["", "/rancher/rke2/releases/download"])(
    "are served below %j with the right sum",
    async (prefix) => {
      const from = `${base}${prefix}/${encodeURIComponent(DEFAULT_RELEASE)}`;
      const archive = Buffer.from(await (await fetch(`${from}/rke2.linux-amd64.tar.gz`)).arrayBuffer());
      const sums = await (await fetch(`${from}/sha256sum-amd64.txt`)).text();
      expect(sums).toBe(`${createHash("sha256").update(archive).digest("hex")}  rke2.linux-amd64.tar.gz\n`);
      const names = execFileSync("tar", ["-tz"], { input: archive, encoding: "utf8" }).split("\n");
      expect(names).toEqual(
        expect.arrayContaining([
          "bin/rke2",
          "bin/rke2-killall.sh",
          "bin/rke2-uninstall.sh",
          "lib/systemd/system/rke2-server.service",
          "lib/systemd/system/rke2-agent.service",
          "share/rke2/rke2-cis-sysctl.conf",
          "share/rke2/standin.js",
        ]),
      );
      // It is fetched by every machine of every cluster.
      expect(archive.length).toBeLessThan(2 << 20);
    },
  );

  test.each([
    ["/v1.2.3+rke2r1/rke2.linux-amd64.tar.gz", "There is no release v1.2.3+rke2r1 in the sandbox"],
    ["/latest/rke2.linux-amd64.tar.gz", '"latest" is no release of RKE2'],
    [`/${DEFAULT_RELEASE}/rke2-images.linux-amd64.tar.zst`, "is no file of a release in the sandbox"],
    [`/${DEFAULT_RELEASE}/../../etc/passwd`, "is no release of RKE2"],
  ])("are refused at %s", async (path, message) => {
    const answer = await fetch(base + path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain(message);
  });
});

test("a release's name says what it runs and where", () => {
  const version = kubernetesOf(DEFAULT_RELEASE);
  expect(DEFAULT_RELEASE).toBe(`v${version}+rke2r1`);
  expect(runtimeFolder(DEFAULT_RELEASE)).toBe(`/opt/fleetwright/rke2/v${version}`);
  expect(programsOf(DEFAULT_RELEASE)).toMatchObject({ kubelet: "kubelet", etcd: "etcd" });
});

test("the scripts of a release can be run", () => {
  for (const name of ["rke2", "rke2-killall.sh", "rke2-uninstall.sh"]) {
    const file = `${__dirname}/payload/bin/${name}`;
    expect(statSync(file).mode & 0o111).not.toBe(0);
    execFileSync("sh", ["-n", file]);
  }
});
