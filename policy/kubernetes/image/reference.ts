/** The parts of an image's name. */
export interface ImageReference {
  /** Host and path, without tag and digest; with the host that is meant where none is written. */
  readonly repository: string;
  readonly digest: string | undefined;
}

/** Reads an image's name as container runtimes do: `nginx` is `docker.io/library/nginx`. */
export function imageReference(image: string): ImageReference {
  const [named = "", digest] = image.split("@", 2);
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash + 1);
  const path = colon === -1 ? named : named.slice(0, colon);
  const [first = "", ...rest] = path.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const repository = isHost ? path : `docker.io/${rest.length === 0 ? "library/" : ""}${path}`;
  return { repository, digest };
}
