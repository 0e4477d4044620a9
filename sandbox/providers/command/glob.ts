/** Chooses paths by rules in order: a pattern takes paths in, one that begins with `!` leaves them out again. */
export function select(paths: readonly string[], rules: readonly string[]): string[] {
  const compiled = rules.map((rule) => ({
    leaves: rule.startsWith("!"),
    pattern: globPattern(rule.replace(/^!/, "")),
  }));
  return paths.filter((path) =>
    compiled.reduce((chosen, { leaves, pattern }) => (pattern.test(path) ? !leaves : chosen), false),
  );
}

/**
 * A pattern as a regular expression: `*` and `?` stay within a folder, `**` goes through folders, `[abc]`, `[!abc]` and
 * `[a-z]` are one of some characters, `{one,other}` one of some patterns, and `\` takes the meaning of the next one away.
 */
export function globPattern(glob: string): RegExp {
  let pattern = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob.charAt(at);
    if (character === "*") {
      const through = glob.charAt(at + 1) === "*";
      pattern += through ? ".*" : "[^/]*";
      if (through) at++;
    } else if (character === "?") pattern += "[^/]";
    else if (character === "[" && glob.indexOf("]", at + 1) > 0) {
      const end = glob.indexOf("]", at + 1);
      const set = glob.slice(at + 1, end).replaceAll("\\", "\\\\");
      pattern += `[${set.startsWith("!") ? `^${set.slice(1)}` : set}]`;
      at = end;
    } else if (character === "{") {
      pattern += "(?:";
      depth++;
    } else if (character === "}" && depth > 0) {
      pattern += ")";
      depth--;
    } else if (character === "," && depth > 0) pattern += "|";
    else if (character === "\\") pattern += escaped(glob.charAt(++at));
    else pattern += escaped(character);
  }
  if (depth > 0) throw new Error(`The pattern ${JSON.stringify(glob)} has a "{" without its "}".`);
  return new RegExp(`^${pattern}$`, "s");
}

function escaped(character: string): string {
  return character.replace(/[$()*+./?[\\\]^{|}-]/g, "\\$&");
}
