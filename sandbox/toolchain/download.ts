import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { errorCode, errorMessage, ExitCode, Failure } from "../../lib/failure";
import type { Download } from "./tools";

const CONNECT_MS = 3_000;
/** A connection that delivers nothing for this long is given up. */
const STALL_MS = 20_000;
const MAX_REDIRECTS = 5;

/** A site that cannot be reached: the tool is built instead. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Whether a download's site answers and has it; nothing of it is fetched. */
export async function isReachable(url: string): Promise<boolean> {
  try {
    (await get(url, 0)).destroy();
    return true;
  } catch (error) {
    if (error instanceof Unreachable) return false;
    throw error;
  }
}

/** Fetches a download into `folder`, checks its digest, and returns the path of the file, as published. */
export async function fetchDownload(
  download: Download,
  folder: string,
  onProgress: (detail: string) => void = () => {},
): Promise<string> {
  const file = path.join(folder, "download");
  const response = await get(download.url, 0);
  const total = Number(response.headers["content-length"] ?? 0);
  let received = 0;
  response.on("data", (chunk: Buffer) => {
    received += chunk.length;
    onProgress(`${Math.round(received / 1e6)}${total > 0 ? ` of ${Math.round(total / 1e6)}` : ""} MB`);
  });
  response.setTimeout(STALL_MS, () => response.destroy(new Error(`no data for ${STALL_MS / 1000} s`)));
  try {
    await pipeline(response, createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    if (errorCode(error) === "ENOSPC") throw error;
    throw new Unreachable(
      `${download.url}: the transfer broke after ${received} bytes: ${errorMessage(error)}`,
    );
  }
  await checkDigest(file, download);
  return file;
}

/** Compares a file with the digest that the table has for it. */
export async function checkDigest(file: string, download: Download): Promise<void> {
  const hash = createHash(download.digest.algorithm);
  await pipeline(createReadStream(file), hash);
  const found = hash.digest("hex");
  if (found !== download.digest.hex) {
    throw new Failure(
      `Checksum mismatch for ${download.url}: its ${download.digest.algorithm} is ${found}, and the table of tools expects ${download.digest.hex}. The file was discarded. If the publisher replaced it, verify the new checksum at the source and update sandbox/toolchain/tools.ts; FLEETWRIGHT_TOOLS_DOWNLOAD=off builds the tool from its Go module instead.`,
      ExitCode.integrity,
    );
  }
}

/** Extracts the program from a fetched archive, or takes the file itself, and returns its path in `folder`. */
export async function unpack(download: Download, file: string, folder: string): Promise<string> {
  const program = path.join(folder, "program");
  if (download.member === undefined) {
    await rename(file, program);
    return program;
  }
  const tar = spawn("tar", ["--extract", "--gzip", "--to-stdout", "--file", file, download.member], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  tar.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    tar.once("error", reject);
    tar.once("close", resolve);
  });
  await pipeline(tar.stdout, createWriteStream(program, { mode: 0o755 }));
  if ((await ended) !== 0) {
    throw new Failure(
      `The archive ${download.url} cannot be unpacked: "${download.member}" was not found in it or it is corrupt (tar says: ${complaint.trim().split("\n")[0] ?? ""}). The file was discarded. Correct \`member\` in sandbox/toolchain/tools.ts, or run the command again to fetch it again.`,
      ExitCode.integrity,
    );
  }
  return program;
}

async function get(url: string, redirects: number): Promise<http.IncomingMessage> {
  const response = await request(url);
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.resume();
    const next = new URL(headers.location, url);
    if (redirects >= MAX_REDIRECTS) throw new Unreachable(`${url}: more than ${MAX_REDIRECTS} redirects`);
    if (url.startsWith("https:") && next.protocol !== "https:") {
      throw new Unreachable(`${url}: redirects to ${next.protocol}//, which is not encrypted`);
    }
    return get(next.href, redirects + 1);
  }
  if (statusCode !== 200) {
    response.resume();
    throw new Unreachable(`${url}: HTTP status ${statusCode}`);
  }
  return response;
}

function request(url: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const client = url.startsWith("https:") ? https : http;
    const outgoing = client.get(url, { agent: false, headers: { "user-agent": "fleetwright" } });
    const giveUp = (reason: string): void => {
      outgoing.destroy();
      reject(new Unreachable(`${url}: ${reason}`));
    };
    const timer = setTimeout(() => giveUp(`no answer within ${CONNECT_MS / 1000} s`), CONNECT_MS);
    outgoing.once("response", (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    outgoing.once("error", (error) => {
      clearTimeout(timer);
      giveUp(error.message);
    });
  });
}
