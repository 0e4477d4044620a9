import { Failure } from "../../../../lib/failure";
import { optional } from "./optional";

/** Settings of snapshots in a bucket. */
export interface S3Settings {
  endpoint: string;
  bucket: string;
  region: string;
  folder: string;
  retention: number;
  accessKey?: string;
  secretKey?: string;
  sessionToken?: string;
  endpointCa?: string;
  skipVerify: boolean;
  insecure: boolean;
  pathStyle: boolean;
}

/** Reads the keys of the bucket. */
export function s3SettingsOf(
  text: (key: string) => string | undefined,
  flag: (key: string) => boolean,
  number: (key: string, fallback: number) => number,
): S3Settings {
  const bucket = text("etcd-s3-bucket");
  if (bucket === undefined)
    throw new Failure("etcd-s3 needs etcd-s3-bucket: the name of the bucket for snapshots.");
  return {
    endpoint: text("etcd-s3-endpoint") ?? "s3.amazonaws.com",
    bucket,
    region: text("etcd-s3-region") ?? "us-east-1",
    folder: text("etcd-s3-folder") ?? "",
    retention: number("etcd-s3-retention", 5),
    ...optional("accessKey", text("etcd-s3-access-key")),
    ...optional("secretKey", text("etcd-s3-secret-key")),
    ...optional("sessionToken", text("etcd-s3-session-token")),
    ...optional("endpointCa", text("etcd-s3-endpoint-ca")),
    skipVerify: flag("etcd-s3-skip-ssl-verify"),
    insecure: flag("etcd-s3-insecure"),
    pathStyle: text("etcd-s3-bucket-lookup-type") !== "dns",
  };
}
