import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { load } from "js-yaml";
import { Declarations, type DescribedInterface } from "./declarations";

const ROOT = path.resolve(__dirname, "../..");

/** The interface behind each setting that is an object or a list of objects; hidden is what the program fills in. */
const SHAPES: Readonly<Record<string, { of: string; hidden?: readonly string[] }>> = {
  cluster: { of: "ClusterArgs" },
  users: { of: "UserArgs" },
  registries: { of: "ConfiguredRegistry" },
  registryCredentials: { of: "RegistryCredentials" },
  nodeLabels: { of: "NodeLabelsArgs", hidden: ["labels"] },
  plugins: { of: "PluginArgs" },
  roles: { of: "RoleArgs" },
  bindings: { of: "BindingArgs" },
  coordinator: { of: "CoordinatorArgs", hidden: ["namespace", "labels"] },
  agent: { of: "AgentArgs", hidden: ["namespace", "labels"] },
};

/** Properties that a stack's file does not have, because the program fills them in. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  LoginArgs: ["privateKey"],
};

/** Properties that a component needs and a stack's file can leave out. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = { SelfManagedArgs: ["login"] };

/** What a stack may keep secret. Pulumi.yaml cannot name these: the engine wants every secret there to be given. */
const SECRETS: Readonly<Record<string, Setting>> = {
  sshPrivateKey: {
    type: "string",
    description:
      "The private key that nodes are logged in to with. Without it, one is made and kept in the state.",
    default: "",
    secret: true,
  },
  registryCredentials: {
    type: "object",
    description:
      "User name and password of each registry, by its name: `pulumi config set --secret --path 'fleetwright:registryCredentials.NAME.password'`.",
    default: {},
    secret: true,
  },
};

interface Setting {
  type: string;
  description: string;
  default?: unknown;
  secret?: boolean;
}

/** The page with every setting of a stack. */
export function configurationPage(): string {
  const project = load(readFileSync(path.join(ROOT, "Pulumi.yaml"), "utf8")) as {
    config: Record<string, Setting>;
  };
  const config = { ...project.config, ...SECRETS };
  const declarations = new Declarations(sources());
  const described = new Map<string, DescribedInterface>();
  const sections = Object.keys(config).flatMap((name) => {
    const shape = SHAPES[name];
    if (shape === undefined) return [];
    const found = collect(declarations, shape.of, shape.hidden ?? [], described);
    return [`## ${name}`, "", ...found.flatMap((each, index) => sectionOf(each, index > 0))];
  });
  return [
    "# Configuration",
    "",
    "<!-- Written by docs/generate from Pulumi.yaml and the components' arguments. Do not edit. -->",
    "",
    "Every setting of a stack. In a stack's file each stands under `config` as `fleetwright:NAME`;",
    "`pulumi config set --path 'fleetwright:NAME.KEY' VALUE` sets a part of one.",
    "",
    "| setting | type | default | |",
    "| --- | --- | --- | --- |",
    ...Object.entries(config).map(([name, setting]) => settingRow(name, setting)),
    "",
    ...sections,
  ].join("\n");
}

/** Where arguments are declared. */
function sources(): string[] {
  const components = path.join(ROOT, "components");
  const files = readdirSync(components, { recursive: true, encoding: "utf8" });
  return [
    path.join(ROOT, "config.ts"),
    ...files
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .sort()
      .map((file) => path.join(components, file)),
  ];
}

function settingRow(name: string, setting: Setting): string {
  const title = SHAPES[name] === undefined ? `\`${name}\`` : `[\`${name}\`](#${name.toLowerCase()})`;
  const value = setting.default === undefined ? "**required**" : code(JSON.stringify(setting.default));
  const kind = setting.secret === true ? `${setting.type}, secret` : setting.type;
  return row(title, kind, value, setting.description);
}

/** An interface and all that it mentions which no section before has described. */
function collect(
  declarations: Declarations,
  name: string,
  hidden: readonly string[],
  described: Map<string, DescribedInterface>,
): DescribedInterface[] {
  if (described.has(name)) return [];
  const found = declarations.describe(name, [...hidden, ...(FILLED_IN[name] ?? [])]);
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
        [property.text, property.example === undefined ? "" : `For example ${code(property.example)}.`]
          .filter((part) => part !== "")
          .join(" "),
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
