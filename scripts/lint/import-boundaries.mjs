// Who may import whom: an allow list for every folder, as one lint rule. What is not listed is forbidden.
//
//   api/, lib/     import nothing of ours above them
//   components/    declares resources and never talks to a Kubernetes or AWS API itself
//   controllers/   runs inside clusters and never imports Pulumi
//   access/        asks a cluster by the client of the controllers
//   preview/       asks the cluster of a stack while the program runs as a preview
//   hub/           registers clusters on a hub by the client of the controllers
//   policy/        stands alone
//   sandbox/       is imported by tests, benchmarks, developers' scripts and its own commands, never by a product

import { builtinModules } from "node:module";
import path from "node:path";

/** Built-in modules that reach out of the process. */
const NETWORK = ["child_process", "cluster", "dgram", "http", "http2", "https", "net", "tls"];
const LOCAL = builtinModules.filter((name) => !NETWORK.includes(name.split("/")[0]) && !name.startsWith("_"));

const PULUMI_SDKS = ["@pulumi/aws", "@pulumi/command", "@pulumi/kubernetes", "@pulumi/pulumi", "@pulumi/tls"];
/** What is not a controller's, and they import nevertheless. */
const CONTROLLER_FOLDERS = [
  "api",
  "lib/all-ended",
  "lib/failure",
  "lib/json",
  "lib/keyed-mutex",
  "lib/node-scripts",
];
const CONTROLLER_PACKAGES = [
  "@kubernetes/client-node",
  "@peculiar/x509",
  "aws4",
  "js-yaml",
  "prom-client",
  "reflect-metadata",
  "socks",
  "tar-stream",
];

/**
 * What each folder may import: folders of ours, npm packages and Node's built-in modules ("all" for any of them). The longest
 * prefix of a file's path counts; a folder may always import itself. A root file is a row of its own.
 *
 * @type {Record<string, { folders: string[] | "all", packages: string[] | "all", builtins?: string[], why: string }>}
 */
export const ALLOWED = {
  api: { folders: [], packages: ["zod"], builtins: LOCAL, why: "every other folder builds on the kinds" },
  lib: { folders: [], packages: [], why: "lib/ is shared by all programs and knows none of them" },
  components: {
    folders: ["api", "lib/json", "lib/node-scripts"],
    packages: [...PULUMI_SDKS, "js-yaml", "zod"],
    builtins: LOCAL,
    why: "components/ declares resources and never talks to an API itself",
  },
  controllers: {
    folders: [...CONTROLLER_FOLDERS, "controllers/runtime"],
    packages: CONTROLLER_PACKAGES,
    why: "controllers/ runs inside clusters and knows neither Pulumi nor the sandbox",
  },
  "controllers/app": {
    folders: [...CONTROLLER_FOLDERS, "controllers/runtime"],
    packages: CONTROLLER_PACKAGES,
    why: "controllers/app is shared by all programs and knows none of them",
  },
  "controllers/coordinator": {
    folders: [...CONTROLLER_FOLDERS, "controllers/app", "controllers/runtime", "controllers/workload"],
    packages: CONTROLLER_PACKAGES,
    why: "programs share what is in controllers/app, and do not import each other",
  },
  "controllers/agent": {
    folders: [...CONTROLLER_FOLDERS, "controllers/app", "controllers/runtime"],
    packages: CONTROLLER_PACKAGES,
    why: "programs share what is in controllers/app, and do not import each other",
  },
  "controllers/syncer": {
    folders: [
      ...CONTROLLER_FOLDERS,
      "controllers/app",
      "controllers/negotiation",
      "controllers/runtime",
      "controllers/workload",
    ],
    packages: CONTROLLER_PACKAGES,
    why: "programs share what is in controllers/app, and do not import each other",
  },
  "controllers/hub": {
    folders: [
      ...CONTROLLER_FOLDERS,
      "controllers/app",
      "controllers/negotiation",
      "controllers/runtime",
      // In push it runs the syncers of its members itself.
      "controllers/syncer",
      "controllers/workload",
    ],
    packages: CONTROLLER_PACKAGES,
    why: "programs share what is in controllers/app; of the others the hub runs the syncer only",
  },
  access: {
    folders: ["api", "controllers/runtime", "lib", "tunnel"],
    packages: ["@kubernetes/client-node", "js-yaml"],
    why: "access/ gives people kubeconfigs and knows no component and no controller",
  },
  preview: {
    folders: ["api", "lib", "tunnel"],
    packages: ["@pulumi/pulumi", "js-yaml"],
    why: "preview/ asks what a preview should tell and the state does not know; it declares nothing",
  },
  hub: {
    folders: ["access/connection", "api", "controllers", "lib"],
    packages: ["@kubernetes/client-node", "js-yaml"],
    why: "hub/ asks a hub by the client of the controllers",
  },
  policy: {
    folders: ["api", "lib"],
    packages: ["@grpc/grpc-js", "@pulumi/policy", "@pulumi/pulumi", "esbuild", "google-protobuf", "js-yaml"],
    why: "policy/ stands alone: it installs without the rest",
  },
  "hub-apiserver": { folders: [], packages: [], why: "hub-apiserver/ is a program in Go" },
  plugins: { folders: [], packages: [], why: "plugins/ holds manifests" },
  sandbox: {
    folders: ["api", "controllers", "lib", "scripts/images"],
    packages: "all",
    why: "sandbox/ knows the programs that it packs, and no component or policy",
  },
  scripts: { folders: "all", packages: "all", why: "" },
  test: { folders: "all", packages: "all", why: "" },
  bench: { folders: "all", packages: "all", why: "" },
  "index.ts": {
    folders: ["components", "config.ts", "preview", "way-in.ts"],
    packages: [...PULUMI_SDKS, "#transforms"],
    builtins: LOCAL,
    why: "the program declares components and never needs the sandbox",
  },
  "config.ts": {
    folders: ["api", "components", "lib"],
    packages: PULUMI_SDKS,
    builtins: LOCAL,
    why: "settings are checked without any API",
  },
  "transforms.ts": {
    folders: ["components"],
    packages: PULUMI_SDKS,
    why: "transforms.ts changes what the program declares, and nothing else",
  },
  "way-in.ts": {
    folders: ["components", "lib", "tunnel"],
    packages: PULUMI_SDKS,
    builtins: LOCAL,
    why: "way-in.ts opens the way to a cluster and declares nothing",
  },
  tunnel: {
    folders: ["lib"],
    packages: ["ssh2"],
    why: "tunnel/ carries connections and knows neither Pulumi nor Kubernetes",
  },
  "run.js": { folders: [], packages: ["esbuild"], why: "run.js only bundles the program and starts it" },
};

/** Tests, their support and what bundles our programs may import anything: they are never part of a product. */
const isDevelopment = (file) =>
  /\.test\.ts$/.test(file) || /(^|\/)testing\//.test(file) || /(^|\/)bundle\.ts$/.test(file);

/** The row of the table for a path below the root. */
function rowOf(relative) {
  return Object.keys(ALLOWED)
    .filter((key) => relative === key || relative.startsWith(`${key}/`))
    .sort((a, b) => b.length - a.length)[0];
}

const packageOf = (specifier) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Says why `file` may not import `specifier`, or undefined when it may. */
export function objection(root, file, specifier) {
  const relative = path.relative(root, file).split(path.sep).join("/");
  const row = rowOf(relative);
  if (row === undefined || isDevelopment(relative)) return undefined;
  const { folders, packages, builtins, why } = ALLOWED[row];
  const refuse = (target) => `${row} may not import ${target}: ${why}`;
  if (specifier.startsWith(".") || path.isAbsolute(specifier)) {
    const target = path
      .relative(root, path.resolve(path.dirname(file), specifier))
      .split(path.sep)
      .join("/");
    const within = (folder) =>
      target === folder || target === folder.replace(/\.\w+$/, "") || target.startsWith(`${folder}/`);
    return folders === "all" || [row, ...folders].some(within) ? undefined : refuse(target);
  }
  const builtin = specifier.replace(/^node:/, "");
  if (specifier.startsWith("node:") || builtinModules.includes(builtin))
    return builtins === undefined || builtins.includes(builtin) ? undefined : refuse(specifier);
  return packages === "all" || packages.includes(packageOf(specifier)) ? undefined : refuse(specifier);
}

/** @type {import("eslint").Rule.RuleModule} */
export const importBoundaries = {
  meta: {
    type: "problem",
    schema: [],
    docs: { description: "each folder imports only what its row allows" },
  },
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
