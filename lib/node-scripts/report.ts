/**
 * How every script on a node speaks: what it does on the standard output, and why it will not on the standard error. What
 * is refused names what was found and the fix, because it is all that a person sees of it.
 */
export const REPORT = `
say() { printf '%s\\n' "$*"; }
refuse() { printf 'Refused: %s\\n' "$*" >&2; exit 1; }
`;
