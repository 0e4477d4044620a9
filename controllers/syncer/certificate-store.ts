// Where a syncer keeps its certificate for the hub, so that it survives the process: a file, or a Secret of the member.
import { readFile, rename, writeFile } from "node:fs/promises";
import { errorCode, isAlreadyExists, isNotFound, type ApiClient, type Resource } from "../runtime";
import type { KubernetesObject } from "../runtime";

/** Keeps a kubeconfig with a certificate and its key. */
export interface CertificateStore {
  /** What was written last; undefined if nothing ever was. */
  read(signal: AbortSignal): Promise<string | undefined>;
  write(kubeconfig: string, signal: AbortSignal): Promise<void>;
}

/** A file, which only its owner can read. */
export class FileStore implements CertificateStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.#file, "utf8");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      return undefined;
    }
  }

  async write(kubeconfig: string): Promise<void> {
    const draft = `${this.#file}.new`;
    await writeFile(draft, kubeconfig, { mode: 0o600 });
    await rename(draft, this.#file);
  }
}

interface SecretObject extends KubernetesObject {
  type?: string;
  data?: Record<string, string>;
}

const SECRETS: Resource<SecretObject> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};
const KEY = "kubeconfig";

/** A Secret of the member: a pod's own files go with it. */
export class SecretStore implements CertificateStore {
  readonly #member: ApiClient;
  readonly #ref: { namespace: string; name: string };

  constructor(member: ApiClient, ref: { namespace: string; name: string }) {
    this.#member = member;
    this.#ref = ref;
  }

  async read(signal: AbortSignal): Promise<string | undefined> {
    try {
      const { data = {} } = await this.#member.get(SECRETS, this.#ref, signal);
      const text = data[KEY];
      return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return undefined;
    }
  }

  async write(kubeconfig: string, signal: AbortSignal): Promise<void> {
    const labels = { "app.kubernetes.io/managed-by": "fleetwright", "app.kubernetes.io/component": "syncer" };
    const data = { [KEY]: Buffer.from(kubeconfig).toString("base64") };
    try {
      await this.#member.patch(SECRETS, this.#ref, { data }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const made: SecretObject = { metadata: { ...this.#ref, labels }, type: "Opaque", data };
      await this.#member.create(SECRETS, made, signal).catch(async (refusal: unknown) => {
        if (!isAlreadyExists(refusal)) throw refusal;
        await this.#member.patch(SECRETS, this.#ref, { data }, { signal });
      });
    }
  }
}
