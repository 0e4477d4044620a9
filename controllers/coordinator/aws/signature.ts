// Signs requests to AWS with Signature Version 4. By aws4 and not by AWS's own SDK: loading @smithy/signature-v4 takes
// 6 MB of memory, which the coordinator does not have to spare.
import { sign } from "aws4";

/** Keys with which requests to AWS are signed. */
export interface AwsCredentials {
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

/** The headers of a request with its signature. */
export function signedHeaders(
  { url, headers, body }: AwsPost,
  { keys, region, service, now }: { keys: AwsCredentials; region: string; service: string; now: number },
): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const signed = sign(
    {
      method: "POST",
      host: url.host,
      path: url.pathname + url.search,
      headers: { ...headers, "X-Amz-Date": new Date(now).toISOString().replace(/[-:]|\.\d+/g, "") },
      body,
      region,
      service,
    },
    { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  );
  // fetch sets the host by itself.
  return Object.fromEntries(
    Object.entries(signed.headers ?? {}).flatMap(([name, value]) =>
      value === undefined || name.toLowerCase() === "host" ? [] : [[name.toLowerCase(), String(value)]],
    ),
  );
}
