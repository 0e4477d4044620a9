"use strict";
const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");

const announce = new pulumi.Config().get("announce");
const kept = new pulumi.Stash("kept", { input: "something" });

if (announce !== undefined && !pulumi.runtime.isDryRun()) {
  // A process of the program's own, of the worst kind: it does not care for a polite interrupt.
  const stubborn = `process.on("SIGINT", () => {}); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", stubborn], { stdio: "ignore" });
  setInterval(() => {}, 1000);
  kept.urn.apply(() => writeFileSync(announce, JSON.stringify([process.pid, child.pid])));
}
