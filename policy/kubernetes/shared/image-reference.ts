/** An image reference, in parts. */
export interface ImageReference {
  /** Registry and path, without tag and digest; with the default registry where none is given. */
  readonly repository: string;
  readonly digest: string | undefined;
}

/** Parses an image reference as container runtimes do: `nginx` is `docker.io/library/nginx`. */
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
