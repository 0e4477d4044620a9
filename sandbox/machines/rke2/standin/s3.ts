// etcd snapshots of the stand-in in S3: put, list, get, delete.
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Agent } from "node:https";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { Failure } from "../../../../lib/failure";
import type { S3Settings } from "./s3-settings";

/** A snapshot in the bucket. */
export interface StoredSnapshot {
  name: string;
  size: number;
  modified: Date;
}

/** The bucket of the snapshots. Without keys in the configuration the instance's role is asked for, as RKE2 does. */
export class SnapshotBucket {
  readonly #settings: S3Settings;
  readonly #client: S3Client;

  private constructor(settings: S3Settings, client: S3Client) {
    this.#settings = settings;
    this.#client = client;
  }

  /** Opens the bucket. */
  static async open(settings: S3Settings): Promise<SnapshotBucket> {
    const { accessKey, secretKey, sessionToken } = settings;
    const ca = settings.endpointCa === undefined ? undefined : await readFile(settings.endpointCa, "utf8");
    const agent = new Agent({
      rejectUnauthorized: !settings.skipVerify,
      ...(ca === undefined ? {} : { ca }),
    });
    const client = new S3Client({
      region: settings.region,
      endpoint: `${settings.insecure ? "http" : "https"}://${settings.endpoint}`,
      forcePathStyle: settings.pathStyle,
      // A file is sent as it is; checksums at the end of a stream are not understood by every store.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { httpsAgent: agent },
      ...(accessKey === undefined || secretKey === undefined
        ? {}
        : {
            credentials: {
              accessKeyId: accessKey,
              secretAccessKey: secretKey,
              ...(sessionToken === undefined ? {} : { sessionToken }),
            },
          }),
    });
    return new SnapshotBucket(settings, client);
  }

  /** Puts a file there. */
  async put(name: string, file: string): Promise<void> {
    const { size } = await stat(file);
    const body = { Body: createReadStream(file), ContentLength: size };
    await this.#client.send(
      new PutObjectCommand({ Bucket: this.#settings.bucket, Key: this.#key(name), ...body }),
    );
  }

  /** Fetches a snapshot into a file. */
  async fetch(name: string, file: string): Promise<void> {
    const { Body } = await this.#client.send(
      new GetObjectCommand({ Bucket: this.#settings.bucket, Key: this.#key(name) }),
    );
    if (!(Body instanceof Readable)) throw new Failure(`The bucket gave nothing for ${name}.`);
    await pipeline(Body, createWriteStream(file, { mode: 0o600 }));
  }

  /** All snapshots, the oldest first. */
  async list(): Promise<StoredSnapshot[]> {
    const { Contents } = await this.#client.send(
      new ListObjectsV2Command({ Bucket: this.#settings.bucket, Prefix: this.#key("") }),
    );
    return (Contents ?? [])
      .map(({ Key, Size, LastModified }) => ({
        name: (Key ?? "").slice(this.#key("").length),
        size: Size ?? 0,
        modified: LastModified ?? new Date(0),
      }))
      .sort((one, two) => one.modified.getTime() - two.modified.getTime());
  }

  /** Deletes a snapshot. */
  async remove(name: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#settings.bucket, Key: this.#key(name) }));
  }

  #key(name: string): string {
    const { folder } = this.#settings;
    return folder === "" ? name : `${folder.replace(/\/+$/, "")}/${name}`;
  }
}
