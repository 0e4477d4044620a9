import { createHash, createHmac } from "node:crypto";

/** Keys with which requests to AWS are signed. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** A POST request to AWS. */
export interface AwsPost {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The headers of a request with its signature, as AWS's Signature Version 4 has it. */
export function signed(
  { url, headers, body }: AwsPost,
  { keys, region, service, now }: { keys: AwsKeys; region: string; service: string; now: number },
): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-date": time,
    ...(keys.sessionToken === undefined ? {} : { "x-amz-security-token": keys.sessionToken }),
  };
  const names = Object.keys(all)
    .map((name) => name.toLowerCase())
    .sort();
  const canonical = [
    "POST",
    url.pathname,
    "",
    ...names.map((name) => `${name}:${(all[name] ?? "").trim()}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<Buffer | string>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = hmac(key, text).toString("hex");
  // Node sets the host by itself.
  delete all.host;
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
