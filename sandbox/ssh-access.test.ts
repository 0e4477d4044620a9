import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DEFAULT_USER } from "../components/cluster/rke/login-args";
import { sandboxLayout, type SandboxLayout } from "./layout";
import { makePrivateDirectories } from "../lib/files";
import { keepSshKey, sshCommand, SSH_USER } from "./ssh-access";

let project: string;
let layout: SandboxLayout;
beforeEach(async () => {
  project = await mkdtemp(path.join(os.tmpdir(), "fleetwright ssh 100% "));
  layout = sandboxLayout(project, "blue");
  await makePrivateDirectories([layout.folder]);
});
afterEach(() => rm(project, { recursive: true, force: true }));

test("people log in as the user that the components make", () => {
  expect(SSH_USER).toBe(DEFAULT_USER);
});

test("ssh reads the settings as they are meant, whatever the folder is called", async () => {
  await keepSshKey(layout, "key\n");
  const read = execFileSync("ssh", ["-G", "-F", layout.sshConfig, "10.0.48.10"], { encoding: "utf8" });
  expect(read.split("\n")).toEqual(
    expect.arrayContaining([
      "user fw-admin",
      "hostname 10.0.48.10",
      "identitiesonly yes",
      "stricthostkeychecking accept-new",
      expect.stringMatching(/^identityfile .*ssh\.key"?$/),
    ]),
  );
  expect(sshCommand(layout, project, "10.0.48.10")).toBe(
    "in-sandbox ssh -F .sandbox/blue/ssh.conf 10.0.48.10",
  );
});

test("the machines of before are forgotten with their key, and only then", async () => {
  await keepSshKey(layout, "one");
  await writeFile(layout.sshKnownHosts, "a machine");
  await keepSshKey(layout, "one");
  expect(await readFile(layout.sshKnownHosts, "utf8")).toBe("a machine");
  await keepSshKey(layout, "another");
  await expect(readFile(layout.sshKnownHosts)).rejects.toThrow("ENOENT");
});
