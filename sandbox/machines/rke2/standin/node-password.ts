import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { ApiError, type ApiClient } from "../../../controlplane/api";
import { Failure } from "../../../../lib/failure";
import { readIfPresent, writePrivate } from "../../../../lib/files";
import { textAt } from "../../../../lib/json";
import { NODE_PASSWORD_FILE } from "./layout";

const REJECTED =
  "Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry, try enabling a unique node name with the --with-node-id flag";
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 128 << 20 };

/** The Secret that holds a node's hashed password. */
export function passwordSecret(nodeName: string): string {
  return `${nodeName}.node-password.rke2`;
}

/** This machine's password, made on first use. A machine that lost it cannot take up its old name. */
export async function ownPassword(file: string = NODE_PASSWORD_FILE): Promise<string> {
  const known = (await readIfPresent(file))?.trim();
  if (known !== undefined && known !== "") return known;
  const made = randomBytes(16).toString("hex");
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writePrivate(file, made);
  return made;
}

/** Hashes a password. */
export function hashPassword(password: string, salt: string = randomBytes(8).toString("hex")): string {
  const hash = scryptSync(password, salt, 64, COST).toString("base64");
  return ["$1", salt, "15", "8", "1", hash].join(":");
}

/** Whether a password is the one that was hashed. */
export function matchesHash(password: string, hash: string): boolean {
  const [one, two] = [Buffer.from(hashPassword(password, hash.split(":")[1] ?? "")), Buffer.from(hash)];
  return one.length === two.length && timingSafeEqual(one, two);
}

/** Lets a node in that is new, or that is the one that had the name before. */
export async function checkNodePassword(api: ApiClient, nodeName: string, password: string): Promise<void> {
  const name = passwordSecret(nodeName);
  const secrets = "/api/v1/namespaces/kube-system/secrets";
  const found = await api.send("GET", `${secrets}/${name}`);
  if (found.status === 200) {
    const hash = Buffer.from(textAt(JSON.parse(found.body), "data", "hash") ?? "", "base64").toString();
    if (!matchesHash(password, hash)) throw new NodePasswordRejected(REJECTED);
    return;
  }
  if (found.status !== 404) throw new ApiError("GET", `${secrets}/${name}`, found.status, found.body);
  await api.create(secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "kube-system" },
    type: "Opaque",
    immutable: true,
    data: { hash: Buffer.from(hashPassword(password)).toString("base64") },
  });
}

/** Another machine had this node's name. */
export class NodePasswordRejected extends Failure {}
