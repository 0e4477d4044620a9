// Downloads an installer and verifies its digest.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { errorCode, errorMessage } from "../../runtime";
import { HostRefusal } from "../host";

const MAX_BYTES = 2 ** 30;
const MAX_REDIRECTS = 5;
const IDLE_MS = 60_000;

/** Downloads an installer into a file over HTTPS. Content with another digest than the declared one is refused. */
export async function download(
  url: string,
  digest: string,
  file: FileHandle,
  { signal, ca }: { signal: AbortSignal; ca?: string | undefined },
): Promise<void> {
  const response = await follow(url, signal, ca);
  const hash = createHash("sha256");
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      response.destroy();
      throw new HostRefusal(
        "InstallerTooLarge",
        `${url} is larger than ${MAX_BYTES} bytes: check spec.installer.url.`,
      );
    }
    hash.update(chunk);
    await file.write(chunk);
  }
  if (!response.complete) throw new Error(`The download of ${url} was interrupted.`);
  const found = `sha256:${hash.digest("hex")}`;
  if (found !== digest)
    throw new HostRefusal(
      "DigestMismatch",
      `The installer from ${url} has digest ${found} instead of ${digest} and was not run: check spec.installer.`,
    );
}

async function follow(url: string, signal: AbortSignal, ca: string | undefined): Promise<IncomingMessage> {
  let location = new URL(url);
  for (let step = 0; step <= MAX_REDIRECTS; step++) {
    const response = await get(location, signal, ca);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return response;
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw new Error(`${location.href} responded with status ${statusCode}.`);
    location = new URL(headers.location, location);
    if (location.protocol !== "https:")
      throw new HostRefusal(
        "InsecureRedirect",
        `${url} redirects to ${location.origin}: only https is allowed.`,
      );
  }
  throw new Error(`${url} redirects more than ${MAX_REDIRECTS} times.`);
}

function get(url: URL, signal: AbortSignal, ca: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { signal, timeout: IDLE_MS, agent: false, ...(ca === undefined ? {} : { ca }) };
    const request = https.get(url, options, resolve);
    request.on("timeout", () => request.destroy(new Error(`${url.origin} timed out.`)));
    request.on("error", (error) => {
      reject(
        new Error(`${url.origin} cannot be reached: ${errorCode(error) ?? errorMessage(error)}.`, {
          cause: error,
        }),
      );
    });
  });
}
