// The way to an API server through the proxy that a kubeconfig names (`proxy-url`), as kubectl goes it.
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { ConnectionError } from "./api-error";
import { errorCode, errorMessage } from "../../lib/failure";

/** What is dialed. */
export interface Address {
  host: string;
  port: number;
}

/** How long a proxy may take to connect. */
const DIAL_MS = 30_000;

/** Host and port of a URL, with the port that its protocol has. */
export function addressOf(url: URL): Address {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port) };
}

/** Connects through a proxy: SOCKS 5, or CONNECT of HTTP. It is the proxy that looks up the name. */
export async function dialThrough(proxyUrl: string, target: Address): Promise<net.Socket> {
  const proxy = new URL(proxyUrl);
  try {
    switch (proxy.protocol) {
      case "socks5:":
      case "socks5h:":
        return await overSocks(proxy, target);
      case "http:":
      case "https:":
        return await overConnect(proxy, target);
      default:
        throw new Error("it has to be socks5, http or https");
    }
  } catch (error) {
    // Without the login that may be in it.
    const shown = `${proxy.protocol}//${proxy.host}`;
    throw new ConnectionError(
      `Connecting to ${target.host}:${target.port} by the proxy-url ${shown} failed: ${errorMessage(error)}`,
      errorCode(error),
      { cause: error },
    );
  }
}

async function overSocks(proxy: URL, destination: Address): Promise<net.Socket> {
  // Loaded where there is a proxy, which is not inside a cluster.
  const { SocksClient } = await import("socks");
  const { socket } = await SocksClient.createConnection({
    command: "connect",
    destination,
    timeout: DIAL_MS,
    proxy: {
      type: 5,
      host: addressOf(proxy).host,
      port: proxy.port === "" ? 1080 : Number(proxy.port),
      ...(proxy.username === ""
        ? {}
        : { userId: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) }),
    },
  });
  return ready(socket);
}

function overConnect(proxy: URL, { host, port }: Address): Promise<net.Socket> {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return new Promise((resolve, reject) => {
    const { request: ask } = proxy.protocol === "https:" ? https : http;
    const request = ask({
      agent: false,
      ...addressOf(proxy),
      method: "CONNECT",
      path: authority,
      timeout: DIAL_MS,
      headers: {
        host: authority,
        ...(login === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` }),
      },
    });
    request.on("connect", ({ statusCode = 0 }, socket, first) => {
      if (statusCode === 200 && first.length === 0) {
        socket.setTimeout(0);
        resolve(ready(socket));
        return;
      }
      socket.destroy();
      reject(new Error(`it answered ${statusCode} to CONNECT ${authority}`));
    });
    request.on("response", (response) => {
      response.destroy();
      reject(new Error(`it answered ${response.statusCode ?? 0} to CONNECT ${authority}`));
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${DIAL_MS / 1000} s`)));
    request.on("error", reject);
    request.end();
  });
}

/** As a connection that goes straight there would be set. */
function ready(socket: net.Socket): net.Socket {
  return socket.setNoDelay(true).setKeepAlive(true);
}
