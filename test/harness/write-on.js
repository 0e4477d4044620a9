"use strict";

// Writes to a cluster's API, one ConfigMap after another, each over a connection of its own: `write-on.js KUBECONFIG SERIES`.
// A process of its own, so that nothing that a drill does can hold it up. Prints a line for each write: its number, how it
// ended ("ok", or what went wrong) and when, in milliseconds. A write that got no answer may or may not be there; its
// number is never used again. Ends when its input does.

const { Buffer } = require("node:buffer");
const { readFileSync } = require("node:fs");
const { Agent, request } = require("node:https");
const { setTimeout: pause } = require("node:timers/promises");
const { load } = require("js-yaml");

const [, , kubeconfig = "", series = ""] = process.argv;
const config = load(readFileSync(kubeconfig, "utf8"));
const { server, "certificate-authority-data": ca } = config.clusters[0].cluster;
const { "client-certificate-data": cert, "client-key-data": key } = config.users[0].user;
const identity = {
  ca: Buffer.from(ca, "base64"),
  cert: Buffer.from(cert, "base64"),
  key: Buffer.from(key, "base64"),
};
const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

let isOver = false;
process.stdin.resume().on("end", () => (isOver = true));

function write(number) {
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${series}-${number}`, labels: { series } },
  });
  return new Promise((resolve) => {
    const call = request(
      `${server}/api/v1/namespaces/default/configmaps`,
      {
        ...identity,
        method: "POST",
        agent: new Agent({ keepAlive: false }),
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        timeout: PATIENCE_MS,
      },
      (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode === 201 ? "ok" : `status ${answer.statusCode}`));
        answer.on("error", (error) => resolve(error.message));
      },
    );
    call.on("timeout", () => call.destroy(new Error("no answer")));
    call.on("error", (error) => resolve(error.message));
    call.end(body);
  });
}

async function main() {
  for (let number = 0; !isOver; number++) {
    const outcome = await write(number);
    process.stdout.write(`${number}\t${Date.now()}\t${outcome}\n`);
    await pause(PAUSE_MS);
  }
}

main();
