/** A part of a page that is written by a program, between two comments with its name. */
export interface Block {
  /** The page, below docs/. */
  readonly page: string;
  readonly name: string;
  readonly text: string;
}

/** The page with a new text in one of its blocks. */
export function withBlock(page: string, { name, text }: Pick<Block, "name" | "text">): string {
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start === -1 || stop < start) throw new Error(`The page has no ${begin} with ${end} after it.`);
  return `${page.slice(0, start + begin.length)}\n\n${text.trim()}\n\n${page.slice(stop)}`;
}
