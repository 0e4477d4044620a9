import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { NODE_OPTIONS as AGENT_OPTIONS } from "../../api/agent-pod-requirements";
import { NODE_OPTIONS as COORDINATOR_OPTIONS } from "../../controllers/coordinator/node-options";
import { version } from "../../package.json";
import { IMAGE_NODE } from "../../sandbox/node-release";
import { Layout } from "./oci-layout";
import { openImages, type OpenedImage } from "./testing/opened-images";

const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-images-test-"));
const root = path.join(__dirname, "..", "..");

const PROGRAMS = ["coordinator", "agent", "hub", "syncer"];
const host = process.arch === "arm64" ? "linux/arm64" : "linux/amd64";

beforeAll(() => {
  const args = ["--require", "tsx/cjs", "scripts/images/cli.ts", "build"];
  const options = ["--out", work, "--tag", "1.2.3", "--platform", host, "--programs", PROGRAMS.join(",")];
  execFileSync(process.execPath, [...args, ...options], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
}, 300_000);
afterAll(() => rm(work, { recursive: true }));

describe.each([
  {
    name: "coordinator",
    user: "65532:65532",
    options: COORDINATOR_OPTIONS,
    help: /^ {2}registries +pull secrets/m,
  },
  { name: "agent", user: "0:0", options: AGENT_OPTIONS, help: /^ {2}users +accounts on the node/m },
  { name: "hub", user: "65532:65532", options: [], help: /^ {2}clusters +clusters: their namespaces/m },
  { name: "syncer", user: "65532:65532", options: COORDINATOR_OPTIONS, help: /one member of a hub in step/ },
])("the image of the $name", ({ name, user, options, help }) => {
  const rootfs = path.join(work, `${name}-rootfs`);
  const inside = (...args: string[]): string =>
    execFileSync("unshare", ["--map-root-user", "--root", rootfs, "/usr/bin/node", ...args], {
      encoding: "utf8",
    });
  let image: OpenedImage;
  beforeAll(async () => {
    const layout = await Layout.open(path.join(work, name));
    expect(layout.tag).toBe("1.2.3");
    [image] = (await openImages(layout)) as [OpenedImage];
    mkdirSync(rootfs);
    for (const layer of image.layers) execFileSync("tar", ["-xzf", "-", "-C", rootfs], { input: layer });
  });

  test("has the name and tag that were asked for, its user and how Node is started", () => {
    expect(image.config).toMatchObject({
      os: "linux",
      architecture: host.split("/")[1],
      config: {
        User: user,
        Entrypoint: ["/usr/bin/node", ...options, `/app/${name}.js`],
        Labels: {
          "org.opencontainers.image.title": `fleetwright-${name}`,
          "org.opencontainers.image.version": version,
          "org.opencontainers.image.licenses": "Apache-2.0",
          "org.opencontainers.image.created": expect.stringMatching(/^20.*Z$/) as string,
          "org.opencontainers.image.revision": expect.stringMatching(/^[0-9a-f]{40}/) as string,
        },
      },
    });
  });

  test("has a bill of materials that refers to it and names every part with its version", () => {
    const packages = image.materials.packages.map(({ name: part, versionInfo }) => `${part} ${versionInfo}`);
    expect(packages).toEqual(
      expect.arrayContaining([
        `fleetwright-${name} ${version}`,
        `node-linux-${process.arch} ${IMAGE_NODE.version}`,
        expect.stringMatching(/^libc6 2\./),
        expect.stringMatching(/^prom-client /),
      ]),
    );
    const ids = image.materials.packages.map(({ SPDXID }) => SPDXID);
    expect(new Set(ids).size).toBe(ids.length);
    expect(image.materials.relationships).toHaveLength(ids.length);
  });

  test("has the license of every package of Debian and npm that is in it", () => {
    const parts = readdirSync(path.join(rootfs, "usr/share/doc"));
    expect(parts).toEqual(expect.arrayContaining(["fleetwright", "node", "npm", "libc6", "gcc-12-base"]));
    expect(readdirSync(path.join(rootfs, "usr/share/doc/npm"))).toContain("prom-client");
  });

  test("holds the authorities that Mozilla trusts and none of this machine's own", () => {
    const text = readFileSync(path.join(rootfs, "etc/ssl/certs/ca-certificates.crt"), "utf8");
    const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
    expect(certificates.join("")).toBe(text);
    expect(certificates.length).toBeGreaterThan(100);
  });

  test("runs with nothing but what is in it, on the newest long-term release of Node", () => {
    expect(inside("--version")).toBe(`v${IMAGE_NODE.version}\n`);
    expect(inside(...options, `/app/${name}.js`, "--help")).toMatch(help);
  });
});

test("the agent's bundle has neither the client library nor the schemas, which are most of the memory", () => {
  const bundle = execFileSync("cat", [path.join(work, "agent-rootfs", "app", "agent.js")], {
    maxBuffer: 1 << 28,
  });
  expect(bundle.toString()).not.toMatch(/node_modules\/(zod|@kubernetes)/);
});
