/** The bundle and the files that it was made from. */
export function build(): { contents: Uint8Array; inputs: string[] };
/** The path of a bundle that is up to date. */
export function bundle(): string;
