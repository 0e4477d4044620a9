// The reference page of a stack's settings, written from the interfaces that describe them.
import { readdirSync } from "node:fs";
import path from "node:path";
import { Declarations, type DescribedInterface, type DescribedProperty } from "./declarations";

const ROOT = path.resolve(__dirname, "../..");

/** The interface behind each setting that is an object or a list of objects; hidden is what the program fills in. */
const SHAPES: Readonly<Record<string, { of?: string; kind?: string; hidden?: readonly string[] }>> = {
  cluster: { of: "ClusterArgs" },
  users: { kind: "User" },
  hub: { of: "ConfiguredHub" },
  members: { of: "ConfiguredMember" },
  registries: { of: "ConfiguredRegistry", kind: "Registry" },
  registryCredentials: { of: "RegistryCredentials" },
  nodeLabels: { of: "NodeLabelSets" },
  plugins: { of: "PluginArgs", kind: "Plugin" },
  roles: { of: "RoleArgs", kind: "AuthorizationRole" },
  roleCeiling: { of: "RaisedCeiling" },
  bindings: { of: "BindingArgs", kind: "AuthorizationRoleBinding" },
  coordinator: { of: "CoordinatorArgs", hidden: ["namespace", "labels"] },
  agent: { of: "AgentArgs", hidden: ["namespace", "labels"] },
};

/** Properties that a stack's file does not have, because the program fills them in. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  LoginArgs: ["privateKey"],
};

/** Properties that a component needs and a stack's file can leave out. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  SelfManagedArgs: ["login"],
  CoordinatorArgs: ["image"],
  AgentArgs: ["image"],
};

/** The page with every setting of a stack. */
export function configurationPage(): string {
  const declarations = new Declarations(sources());
  const settings = declarations.describe("StackSettings").properties;
  const described = new Map<string, DescribedInterface>();
  const sections = settings.flatMap(({ name }) => {
    const shape = SHAPES[name];
    if (shape === undefined) return [];
    const found =
      shape.of === undefined ? [] : collect(declarations, shape.of, shape.hidden ?? [], described);
    return [
      `## ${name}`,
      "",
      ...(shape.kind === undefined ? [] : [kindText(shape.kind, found.length > 0), ""]),
      ...found.flatMap((each, index) => sectionOf(each, index > 0)),
    ];
  });
  return [
    "# Configuration",
    "",
    "Every setting of a stack. In a stack's file each stands under `config` as `fleetwright:NAME`;",
    "`pulumi config set --path 'fleetwright:NAME.KEY' VALUE` sets a part of one. All of them are checked before anything is",
    "declared, and everything that is wrong is reported in one message.",
    "",
    "| setting | type | default | |",
    "| --- | --- | --- | --- |",
    ...settings.map(settingRow),
    "",
    ...sections,
  ].join("\n");
}

function kindText(kind: string, hasMore: boolean): string {
  const page = `[${kind}](${kind.toLowerCase()}.md)`;
  return hasMore ? `Each has what the spec of a ${page} has, and:` : `Each is the spec of a ${page}.`;
}

/** Where arguments are declared. */
function sources(): string[] {
  const components = path.join(ROOT, "components");
  const files = readdirSync(components, { recursive: true, encoding: "utf8" });
  return [
    ...files
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .sort()
      .map((file) => path.join(components, file)),
    // What an administrator may raise is said beside what it is added to.
    path.join(ROOT, "api", "authorization", "ceiling.ts"),
  ];
}

function settingRow(setting: DescribedProperty): string {
  const { name } = setting;
  const title = SHAPES[name] === undefined ? `\`${name}\`` : `[\`${name}\`](#${name.toLowerCase()})`;
  const value = setting.isRequired ? "**required**" : code(setting.default ?? "");
  return row(title, code(setting.type), value, textOf(setting));
}

function textOf({ text, example }: DescribedProperty): string {
  return [text, example === undefined ? "" : `For example ${code(example)}.`]
    .filter((part) => part !== "")
    .join(" ");
}

/** An interface and all that it mentions which no section before has described. */
function collect(
  declarations: Declarations,
  name: string,
  hidden: readonly string[],
  described: Map<string, DescribedInterface>,
): DescribedInterface[] {
  if (described.has(name)) return [];
  const found = declarations.describe(name, ["transform", ...hidden, ...(FILLED_IN[name] ?? [])]);
  described.set(name, found);
  const inner = found.properties.flatMap(({ mentions }) => mentions);
  return [found, ...inner.flatMap((other) => collect(declarations, other, [], described))];
}

function sectionOf({ name, text, properties }: DescribedInterface, isInner: boolean): string[] {
  return [
    ...(isInner ? [`### ${name}`, "", text, ""] : []),
    "| | type | default | |",
    "| --- | --- | --- | --- |",
    ...properties.map((property) =>
      row(
        `\`${property.name}\``,
        typeCell(property.type, property.mentions),
        property.isRequired && OPTIONAL[name]?.includes(property.name) !== true
          ? "**required**"
          : code(property.default ?? ""),
        textOf(property),
      ),
    ),
    "",
  ];
}

function typeCell(type: string, mentions: readonly string[]): string {
  const [only] = mentions;
  return mentions.length === 1 && only !== undefined ? `[${code(type)}](#${only.toLowerCase()})` : code(type);
}

/** Words stay words; what looks like a value is set as one. */
function code(text: string): string {
  if (text === "" || /^[a-z][a-z' ]* [a-zA-Z0-9' ,]+$/.test(text)) return text;
  return text.includes("`") ? text : `\`${text}\``;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}
