// The four sentences of the design about who may import whom, as one lint rule.
//
//   components/  never talks to a Kubernetes or AWS API itself, it declares resources
//   controllers/ never imports Pulumi
//   sandbox/     is imported by tests and scripts, never by components/, controllers/ or policy/
//   api/         imports nothing of ours

import path from "node:path";

const CLOUD_CLIENTS = [
  /^@kubernetes\/client-node(\/|$)/,
  /^@aws-sdk\//,
  /^@smithy\//,
  /^aws-sdk(\/|$)/,
  /^undici(\/|$)/,
  /^(node:)?(https?|http2|net|tls|dgram|child_process)$/,
];
const PULUMI = [/^@pulumi\//, /^pulumi$/];

/** What each room may not import: packages by pattern, our own rooms by name. */
export const RULES = {
  components: {
    packages: CLOUD_CLIENTS,
    rooms: ["sandbox"],
    why: "components/ declares resources and never talks to an API itself",
  },
  controllers: {
    packages: PULUMI,
    rooms: ["sandbox", "components"],
    why: "controllers/ runs inside clusters and knows neither Pulumi nor the sandbox",
  },
  policy: {
    packages: [],
    rooms: ["sandbox"],
    why: "policy/ runs for other people's programs, without the sandbox",
  },
  "index.ts": { packages: CLOUD_CLIENTS, rooms: ["sandbox"], why: "the program never needs the sandbox" },
  api: { packages: [], rooms: "all", why: "api/ imports nothing of ours" },
};

const isTest = (file) => /\.test\.ts$/.test(file);

/** The room of a path below the root: its first folder, or the file name for files that lie in the root. */
const roomOf = (root, file) => path.relative(root, file).split(path.sep)[0];

/** Says why `file` may not import `specifier`, or undefined when it may. */
export function objection(root, file, specifier) {
  const room = roomOf(root, file);
  const rule = RULES[room];
  if (rule === undefined || isTest(file)) return undefined;
  if (specifier.startsWith(".") || path.isAbsolute(specifier)) {
    const target = path.resolve(path.dirname(file), specifier);
    const targetRoom = roomOf(root, target);
    if (targetRoom === room) return undefined;
    const forbidden = rule.rooms === "all" || rule.rooms.includes(targetRoom);
    return forbidden ? `${room} may not import ${targetRoom}: ${rule.why}` : undefined;
  }
  return rule.packages.some((pattern) => pattern.test(specifier))
    ? `${room} may not import ${specifier}: ${rule.why}`
    : undefined;
}

/** @type {import("eslint").Rule.RuleModule} */
export const rooms = {
  meta: { type: "problem", schema: [], docs: { description: "keeps the rooms of the house apart" } },
  create(context) {
    const check = (source) => {
      if (source?.type !== "Literal" || typeof source.value !== "string") return;
      const message = objection(context.cwd, context.filename, source.value);
      if (message !== undefined) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportEqualsDeclaration: (node) => check(node.moduleReference.expression),
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
      CallExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "require") check(node.arguments[0]);
      },
    };
  },
};
