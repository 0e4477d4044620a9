/** A file for a node. */
export interface NodeFile {
  readonly path: string;
  readonly content: string;
  /** @default "0600" */
  readonly mode?: string;
}

/**
 * Files as lines for `unpack`: mode, path and content. They travel on the standard input or in a parameter, never in a
 * command line, because some of them hold secrets. A path without content is removed.
 */
export function packed(files: readonly NodeFile[], removed: readonly string[] = []): string {
  const lines = files.map(
    ({ path, content, mode = "0600" }) => `${mode} ${path} ${Buffer.from(content).toString("base64")}\n`,
  );
  return [...lines, ...removed.map((path) => `- ${path}\n`)].join("");
}

/**
 * `unpack` reads such lines from its standard input and prints the path of every file that was not yet so. A file is
 * complete or not there: it is written beside its place and moved.
 */
export const UNPACK = `
unpack() {
  local mode path content draft
  while read -r mode path content; do
    if [ "$mode" = - ]; then
      if [ -e "$path" ]; then rm "$path"; printf '%s\\n' "$path"; fi
      continue
    fi
    if [ ! -d "$(dirname "$path")" ]; then install --directory --mode 0755 "$(dirname "$path")"; fi
    draft=$(mktemp "$path.XXXXXX")
    printf '%s' "$content" | base64 --decode >"$draft"
    chmod "$mode" "$draft"
    if [ -e "$path" ] && cmp --silent "$draft" "$path" && [ "$(stat --format %a "$draft")" = "$(stat --format %a "$path")" ]; then
      rm "$draft"
    else
      mv "$draft" "$path"
      printf '%s\\n' "$path"
    fi
  done
}
`;
