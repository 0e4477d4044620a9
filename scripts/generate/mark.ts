/** What says in a file that it is generated, so that those whose source is gone are found. JSON has no comments: .gitattributes marks it. */
export const MARK = "Written by `npm run generate`";

const sentence = (source: string): string => `${MARK} from ${source}. Do not edit.`;

/** The first line of a generated YAML file: who wrote it, and from what. */
export const yamlMark = (source: string): string => `# ${sentence(source)}\n`;

/** The same for a page. */
export const pageMark = (source: string): string => `<!-- ${sentence(source)} -->\n\n`;
