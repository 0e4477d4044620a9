"use strict";

// Writes to a cluster's API, one ConfigMap after another, each over a connection of its own: `write-on.js KUBECONFIG SERIES`.
// A process of its own, so that nothing that a drill does can hold it up. Prints a line for each write: its number, how it
// ended ("ok", or what went wrong) and when, in milliseconds. A write that got no answer may or may not be there; its
// number is never used again. Ends when its input does.

const { Buffer } = require("node:buffer");
const { readFileSync } = require("node:fs");
const { request } = require("node:https");
const { connect, isIP } = require("node:net");
const { setTimeout: pause } = require("node:timers/promises");
const tls = require("node:tls");
const { URL } = require("node:url");
const { load } = require("js-yaml");

const [, , kubeconfig = "", series = ""] = process.argv;
const config = load(readFileSync(kubeconfig, "utf8"));
const { server, "certificate-authority-data": ca, "proxy-url": proxy } = config.clusters[0].cluster;
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

/** A connection to the API: where the kubeconfig names a proxy, by SOCKS 5 (RFC 1928), as kubectl does. */
function dial({ host, port }, done) {
  const named = { ...identity, host, servername: isIP(host) === 0 ? host : "" };
  if (proxy === undefined) return tls.connect({ ...named, port });
  const { hostname, port: proxyPort } = new URL(proxy);
  const socket = connect({ host: hostname, port: Number(proxyPort) });
  const name = Buffer.from(host);
  socket.write(Buffer.from([5, 1, 0, 5, 1, 0, 3, name.length, ...name, port >> 8, port & 255]));
  let said = Buffer.alloc(0);
  const listen = (chunk) => {
    said = Buffer.concat([said, chunk]);
    // Two bytes to the greeting; then ten, the second of which says how it ended.
    if (said.length < 12) return;
    socket.off("data", listen);
    if (said[3] === 0) done(null, tls.connect({ ...named, socket }));
    else socket.destroy(new Error(`the proxy answered ${said[3]}`));
  };
  // Only the first of these counts.
  socket.on("data", listen).on("error", done);
  socket.on("close", () => done(new Error("the proxy closed the connection")));
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("no answer")));
  return undefined;
}

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
        method: "POST",
        createConnection: dial,
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
