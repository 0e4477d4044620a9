import { readFileSync } from "node:fs";
import ts from "typescript";

/** A property of an interface as its source describes it. */
export interface DescribedProperty {
  name: string;
  isRequired: boolean;
  /** As it is written, without Pulumi's wrapping. */
  type: string;
  text: string;
  default: string | undefined;
  example: string | undefined;
  /** Our own interfaces that the type names. */
  mentions: string[];
}

/** An interface as its source describes it. */
export interface DescribedInterface {
  name: string;
  text: string;
  properties: DescribedProperty[];
}

/** The interfaces of the project's own sources, read without running them. */
export class Declarations {
  readonly #interfaces = new Map<string, ts.InterfaceDeclaration>();
  /** The values of enums, by `Enum.Member` and all together by `Enum`. */
  readonly #values = new Map<string, string>();

  constructor(files: readonly string[]) {
    for (const file of files) {
      const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
      ts.forEachChild(source, (node) => {
        if (ts.isInterfaceDeclaration(node)) this.#interfaces.set(node.name.text, node);
        if (ts.isEnumDeclaration(node)) this.#keepValues(node);
      });
    }
  }

  /** Describes an interface and those that it extends, without some of its properties. */
  describe(name: string, hidden: readonly string[] = []): DescribedInterface {
    const declaration = this.#interfaces.get(name);
    if (declaration === undefined) throw new Error(`There is no interface ${name} in the project's sources.`);
    const inherited = (declaration.heritageClauses ?? []).flatMap(({ types }) =>
      types.flatMap((type) => this.#inherited(type)),
    );
    const own = declaration.members.filter(ts.isPropertySignature).map((member) => this.#property(member));
    const properties = [...inherited, ...own].filter((property) => !hidden.includes(property.name));
    return { name, text: commentOf(declaration).text, properties };
  }

  #keepValues(node: ts.EnumDeclaration): void {
    const values = node.members.map(({ name, initializer }) => {
      const value = initializer?.getText() ?? name.getText();
      this.#values.set(`${node.name.text}.${name.getText()}`, value);
      return value;
    });
    this.#values.set(node.name.text, values.join(", "));
  }

  /** What `extends X` and `extends Omit<X, "a">` bring. */
  #inherited(type: ts.ExpressionWithTypeArguments): DescribedProperty[] {
    const name = type.expression.getText();
    if (this.#interfaces.has(name)) return this.describe(name).properties;
    const [base, omitted] = type.typeArguments ?? [];
    if (name !== "Omit" || base === undefined || omitted === undefined) return [];
    const left = omitted.getText().match(/[A-Za-z]+/g) ?? [];
    return this.#interfaces.has(base.getText()) ? this.describe(base.getText(), left).properties : [];
  }

  #property(member: ts.PropertySignature): DescribedProperty {
    const comment = commentOf(member);
    const written = member.type?.getText() ?? "unknown";
    const type = written
      .replaceAll(/pulumi\.Input<((?:[^<>]|<[^<>]*>)*)>/g, "$1")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/Omit<(\w+), "transform">/g, "$1");
    const otherwise = comment.tag("default");
    return {
      name: member.name.getText(),
      isRequired: member.questionToken === undefined,
      type: this.#values.get(type) ?? type,
      text: comment.text,
      default: otherwise === undefined ? undefined : (this.#values.get(otherwise) ?? otherwise),
      example: comment.tag("example"),
      mentions: [...new Set(written.match(/\b[A-Z][A-Za-z0-9]+\b/g) ?? [])].filter((word) =>
        this.#interfaces.has(word),
      ),
    };
  }
}

function commentOf(node: ts.Node): { text: string; tag: (name: string) => string | undefined } {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const plain = (part: ts.JSDoc["comment"]): string =>
    (ts.getTextOfJSDocComment(part) ?? "").replaceAll(/\s+/g, " ").trim();
  return {
    text: plain(comment?.comment),
    tag: (name) => {
      const found = comment?.tags?.find(({ tagName }) => tagName.text === name);
      return found === undefined ? undefined : plain(found.comment);
    },
  };
}
