import { filesIn, unzipped } from "./archive";
import { verified, type Answer, type Downloader } from "./download";
import { documentsIn, isRecord, MAX_BYTES } from "./manifest";
import { InstallError } from "./install-error";

/** Where an OCI artifact is. */
export interface ArtifactReference {
  host: string;
  repository: string;
  digest: string;
}

const MANIFESTS = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

/** Reads `host/repository[:tag]@sha256:…`. The digest alone counts. */
export function parseReference(reference: string): ArtifactReference {
  const found = /^([^/]+)\/([^@]+?)(?::[A-Za-z0-9_][A-Za-z0-9_.-]*)?@(sha256:[0-9a-f]{64})$/.exec(reference);
  const [, host = "", repository = "", digest = ""] = found ?? [];
  if (found === null)
    throw new InstallError(
      "SourceInvalid",
      `${JSON.stringify(reference)} is not an artifact reference: use host/repository@sha256:<digest>.`,
    );
  return { host, repository, digest };
}

/** The documents in all layers of an artifact. The manifest and each layer must have the digests that name them. */
export async function artifactDocuments(
  downloader: Downloader,
  reference: string,
  dockerConfig: string | undefined,
  signal: AbortSignal,
): Promise<unknown[]> {
  const { host, repository, digest } = parseReference(reference);
  const session = new Session(downloader, host, repository, credentialFor(host, dockerConfig));
  const manifest = await session.get(
    `manifests/${digest}`,
    digest,
    { accept: MANIFESTS.join(", ") },
    1024 * 1024,
    signal,
  );
  const layers = layersIn(manifest, reference);
  const documents: unknown[] = [];
  for (const layer of layers) {
    const bytes = await session.get(`blobs/${layer.digest}`, layer.digest, {}, MAX_BYTES, signal);
    documents.push(
      ...(await layerDocuments(bytes, `layer ${layer.digest.slice(0, 19)} of ${host}/${repository}`)),
    );
  }
  return documents;
}

function layersIn(bytes: Buffer, reference: string): { digest: string }[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString("utf8"));
  } catch {
    parsed = undefined;
  }
  const layers: unknown = isRecord(parsed) ? parsed.layers : undefined;
  const isLayer = (layer: unknown): layer is { digest: string; size: number } =>
    isRecord(layer) &&
    typeof layer.digest === "string" &&
    /^sha256:[0-9a-f]{64}$/.test(layer.digest) &&
    typeof layer.size === "number";
  if (!Array.isArray(layers) || !layers.every(isLayer) || layers.length === 0 || layers.length > 50)
    throw new InstallError(
      "SourceInvalid",
      `${reference} is not an artifact with 1 to 50 layers: an index of images cannot be installed, give the digest of the artifact itself.`,
    );
  const size = layers.reduce((sum, layer) => sum + layer.size, 0);
  if (size > MAX_BYTES)
    throw new InstallError(
      "SourceRefused",
      `${reference} has ${size} bytes; at most ${MAX_BYTES} are allowed.`,
    );
  return layers;
}

/** The documents of a layer, which is either a YAML file or an archive of such files. */
export async function layerDocuments(bytes: Buffer, where: string): Promise<unknown[]> {
  const plain = unzipped(bytes, where);
  const isTar = plain.length >= 512 && plain.toString("latin1", 257, 262) === "ustar";
  if (!isTar) return documentsIn(plain.toString("utf8"), where);
  const files = await filesIn(plain, where);
  return files
    .filter(({ name }) => /\.(ya?ml|json)$/.test(name))
    .flatMap(({ name, bytes: file }) => documentsIn(file.toString("utf8"), `${name} in ${where}`));
}

/** The `user:password` for a registry out of a pull secret, in base64. */
export function credentialFor(host: string, dockerConfig: string | undefined): string | undefined {
  if (dockerConfig === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(dockerConfig);
  } catch {
    parsed = undefined;
  }
  const auths = isRecord(parsed) ? parsed.auths : undefined;
  const names = isRecord(auths) ? Object.keys(auths) : [];
  const name = names.find((key) => key.replace(/^https?:\/\//, "").split("/")[0] === host);
  const entry = isRecord(auths) && name !== undefined ? auths[name] : undefined;
  if (!isRecord(entry))
    throw new InstallError(
      "CredentialInvalid",
      `The pull secret has no entry for ${host}, only for: ${names.join(", ") || "none"}. Add one, or set another Secret.`,
    );
  const { auth, username, password } = entry;
  if (typeof auth === "string" && auth !== "") return auth;
  if (typeof username === "string" && typeof password === "string")
    return Buffer.from(`${username}:${password}`).toString("base64");
  throw new InstallError(
    "CredentialInvalid",
    `The pull secret's entry for ${host} has neither auth nor username and password.`,
  );
}

/** A client of one repository by the OCI distribution API; logs in when the registry demands it. */
class Session {
  readonly #downloader: Downloader;
  readonly #base: string;
  readonly #repository: string;
  readonly #credential: string | undefined;
  #authorization: string | undefined;

  constructor(downloader: Downloader, host: string, repository: string, credential: string | undefined) {
    this.#downloader = downloader;
    this.#base = `https://${host}/v2/${repository}/`;
    this.#repository = repository;
    this.#credential = credential;
  }

  async get(
    path: string,
    digest: string,
    headers: Record<string, string>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    const url = new URL(path, this.#base);
    const ask = (): Promise<Answer> => {
      const authorization = this.#authorization;
      const proof = authorization === undefined ? {} : { authorization };
      return this.#downloader.get({ url, headers: { ...headers, ...proof }, maxBytes, signal });
    };
    let answer = await ask();
    if (answer.code === 401 && this.#authorization === undefined) {
      this.#authorization = await this.#logIn(String(answer.headers["www-authenticate"] ?? ""), signal);
      answer = await ask();
    }
    if (answer.code === 200) return verified(answer.body, digest, url.href);
    const denied = answer.code === 401 || answer.code === 403;
    throw denied
      ? new InstallError(
          "CredentialInvalid",
          `${url.href} returned ${answer.code}: set spec.source.oci.pullSecretRef to a Secret that may pull it.`,
        )
      : new InstallError("SourceUnreachable", `${url.href} returned ${answer.code}. Retrying.`, true);
  }

  async #logIn(challenge: string, signal: AbortSignal): Promise<string | undefined> {
    const basic = this.#credential === undefined ? undefined : `Basic ${this.#credential}`;
    if (!/^bearer /i.test(challenge)) return basic;
    const parameter = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
    const realm = URL.canParse(parameter("realm")) ? new URL(parameter("realm")) : undefined;
    if (realm === undefined)
      throw new InstallError(
        "SourceInvalid",
        `${this.#base} asks for a token but does not say where to get one.`,
      );
    realm.searchParams.set("service", parameter("service"));
    realm.searchParams.set("scope", `repository:${this.#repository}:pull`);
    const headers = basic === undefined ? {} : { authorization: basic };
    const { code, body } = await this.#downloader.get({ url: realm, headers, maxBytes: 64 * 1024, signal });
    const answer: unknown = code === 200 ? JSON.parse(body.toString("utf8")) : undefined;
    const token = isRecord(answer) ? (answer.token ?? answer.access_token) : undefined;
    if (typeof token === "string") return `Bearer ${token}`;
    throw new InstallError(
      "CredentialInvalid",
      `${realm.origin} returned no token (${code}): set spec.source.oci.pullSecretRef to a Secret that may pull it.`,
    );
  }
}
