import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { errorCode, errorMessage } from "../../runtime";
import { HostRefusal } from "../host";

const MOST_BYTES = 2 ** 30;
const MOST_REDIRECTS = 5;
const IDLE_MS = 60_000;

/** Downloads into a file. A content with another digest than the one that was declared is refused. */
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
    if (length > MOST_BYTES) {
      response.destroy();
      throw new HostRefusal(
        "InstallerTooLarge",
        `${url} gives more than ${MOST_BYTES} bytes: look at the url.`,
      );
    }
    hash.update(chunk);
    await file.write(chunk);
  }
  if (!response.complete) throw new Error(`The download of ${url} was cut.`);
  const found = `sha256:${hash.digest("hex")}`;
  if (found !== digest)
    throw new HostRefusal(
      "DigestMismatch",
      `The installer from ${url} has the digest ${found} instead of ${digest}, and was not run. Look at spec.installer.`,
    );
}

async function follow(url: string, signal: AbortSignal, ca: string | undefined): Promise<IncomingMessage> {
  let place = new URL(url);
  for (let step = 0; step <= MOST_REDIRECTS; step++) {
    const response = await get(place, signal, ca);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return response;
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw new Error(`${place.href} was answered with ${statusCode}.`);
    place = new URL(headers.location, place);
    if (place.protocol !== "https:")
      throw new HostRefusal("InsecureRedirect", `${url} leads to ${place.origin}: only https is followed.`);
  }
  throw new Error(`${url} leads on and on.`);
}

function get(url: URL, signal: AbortSignal, ca: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { signal, timeout: IDLE_MS, agent: false, ...(ca === undefined ? {} : { ca }) };
    const request = https.get(url, options, resolve);
    request.on("timeout", () => request.destroy(new Error(`${url.origin} says nothing.`)));
    request.on("error", (error) => {
      reject(
        new Error(`${url.origin} cannot be reached: ${errorCode(error) ?? errorMessage(error)}.`, {
          cause: error,
        }),
      );
    });
  });
}
