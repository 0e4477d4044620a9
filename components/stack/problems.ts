// The checks of a stack's settings: every key, every value, and what has to agree between one setting and another.
import { z } from "zod";
import {
  nodeLabelProblems,
  pluginProblems,
  rbacProblems,
  registryProblems,
  userProblems,
} from "../addons/problems";
import { isObject } from "../../lib/json";
import { agentSettings, coordinatorSettings } from "../agent/problems";
import { roleCeilingSettings } from "../agent/role-ceiling-problems";
import { type ClusterArgs, ClusterKind } from "../cluster/args";
import { clusterProblems } from "../cluster/problems";
import { identityProblems } from "../cluster/identity/schema";
import { DEFAULT_USER } from "../cluster/rke/login-args";
import { configuredHub, configuredMember, namedTwice } from "../hub/fleet-problems";
import { nearest } from "../nearest";
import { below, found, keyed, type Problem } from "../problem";
import { check, unknownKey } from "../schema";
import type { StackSettings } from "./settings";

/** Settings as they were found: of any shape. */
export type FoundSettings = Readonly<Record<string, unknown>>;

type Check = (value: unknown, all: FoundSettings) => Problem[];

/** Stands for the login key, which is no setting of the cluster. */
const LOGIN_KEY = "PRIVATE KEY";

const labelKey = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/;
const LABEL_FIX =
  'use at most 63 letters, digits, "-", "_" and ".", starting and ending with a letter or digit';

const labels = z.record(z.string().regex(labelKey, LABEL_FIX), z.string().regex(labelValue, LABEL_FIX));

const credentials = z.record(
  z.string(),
  z.strictObject({ username: z.string().optional(), password: z.string() }),
);

/** The check of each setting; there are no others. */
const CHECKS: Readonly<Record<keyof StackSettings, Check>> = {
  environment: (value) => checked(z.string().min(1).regex(labelValue, LABEL_FIX), value),
  cluster: clusterSettingProblems,
  upgradeTo: upgradeToProblems,
  kubeContext: (value) => checked(z.string().optional(), value),
  hub: hubProblems,
  members: memberProblems,
  sshPrivateKey: (value) =>
    value === undefined || (typeof value === "string" && value.includes(LOGIN_KEY))
      ? []
      : [{ path: "", message: "found a value: use the private key's text, with its BEGIN and END lines" }],
  labels: (value) => checked(labels.optional(), value),
  users: (value, all) => [...listed(value, userProblems), ...loginProblems(value, all)],
  identity: identitySettingProblems,
  registries: registrySettingProblems,
  registryCredentials: credentialProblems,
  nodeLabels: (value, all) => [
    ...checked(
      z.strictObject({ cluster: z.unknown().optional(), pools: z.unknown().optional() }).optional(),
      value,
    ),
    ...(isObject(value) ? nodeLabelProblems(value) : []),
    ...poolProblems(value, all),
  ],
  plugins: (value, all) => [...listed(value, pluginProblems), ...packagedProblems(value, all)],
  roles: (value) => listed(value, (roles) => rbacProblems({ roles })),
  roleCeiling: (value) => checked(roleCeilingSettings.optional(), value),
  bindings: (value, all) => [
    ...listed(value, (bindings) => rbacProblems({ bindings })),
    ...roleProblems(value, all),
  ],
  coordinator: (value) => checked(coordinatorSettings.optional(), value),
  agent: (value) => checked(agentSettings.optional(), value),
};

/** All that is wrong with the settings of a stack, by their paths in its file. */
export function settingProblems(given: FoundSettings, prefix: string): Problem[] {
  const known = Object.keys(CHECKS);
  return [
    ...Object.keys(given)
      .filter((key) => !known.includes(key))
      .map((key) => ({ path: `${prefix}${key}`, message: unknownKey(key, known, prefix) })),
    ...targetProblems(given, prefix),
    ...Object.entries(CHECKS).flatMap(([key, problems]) =>
      below(`${prefix}${key}`, problems(given[key], given)),
    ),
  ].map(({ path, message }) =>
    // A cluster has the name of its environment.
    path === `${prefix}cluster.name` ? { path: `${prefix}environment`, message } : { path, message },
  );
}

function targetProblems({ cluster, kubeContext, members }: FoundSettings, prefix: string): Problem[] {
  const hasContext = kubeContext !== undefined && kubeContext !== "";
  if (members !== undefined)
    return isCluster(cluster) || hasContext
      ? [
          {
            path: `${prefix}members`,
            message: `a stack with members has no cluster of its own: remove ${prefix}${hasContext ? "kubeContext" : "cluster"}, or use ${prefix}hub in the stack of each member`,
          },
        ]
      : [];
  return isCluster(cluster) === hasContext
    ? [
        {
          path: `${prefix}cluster`,
          message: `set exactly one of ${prefix}cluster (new) or ${prefix}kubeContext (existing)`,
        },
      ]
    : [];
}

/** Where a hub is, and who becomes its member. */
function hubProblems(value: unknown, { cluster, members }: FoundSettings): Problem[] {
  if (value === undefined) return [];
  const ofMembers = members === undefined ? [] : ["name", "onRemove", "topology", "kinds", "accepted"];
  return [
    ...checked(configuredHub, value),
    ...ofMembers
      .filter((key) => memberOf(value, key) !== undefined)
      .map((key) => ({ path: key, message: "each member has its own: move it to the members" })),
    ...(members === undefined && !isCluster(cluster)
      ? [
          {
            path: "",
            message:
              "nothing of this stack belongs to it: set fleetwright:cluster (new) or fleetwright:members (existing)",
          },
        ]
      : []),
  ];
}

function memberProblems(value: unknown, { hub }: FoundSettings): Problem[] {
  if (value === undefined) return [];
  const problems = checked(z.array(configuredMember), value);
  if (problems.length > 0) return problems;
  const twice = namedTwice(value as { name: string }[]);
  return [
    ...twice.map(({ path, message }) => ({ path: path.replace(/^members/, ""), message })),
    ...(hub === undefined
      ? [{ path: "", message: "members of which hub? Set fleetwright:hub.kubeContext" }]
      : []),
  ];
}

function upgradeToProblems(value: unknown, { cluster }: FoundSettings): Problem[] {
  if (value === undefined) return [];
  if (!isObject(cluster) || Reflect.get(cluster, "kind") === ClusterKind.Hosted)
    return [
      {
        path: "",
        message: found(
          value,
          "remove it: it is for a cluster of RKE2 that this stack builds; others have no cluster.version that it could differ from",
        ),
      },
    ];
  const form = z.string().regex(/^v\d+\.\d+\.\d+\+rke2r\d+$/, "use a version like v1.35.4+rke2r1");
  return checked(form, value);
}

/** An empty cluster is none. */
function isCluster(value: unknown): boolean {
  return value !== undefined && !(isObject(value) && Object.keys(value).length === 0);
}

function clusterSettingProblems(value: unknown, { environment }: FoundSettings): Problem[] {
  if (!isCluster(value)) return [];
  if (!isObject(value)) return [{ path: "", message: found(value, "use keys and values") }];
  const { selfManaged = {} } = value as { selfManaged?: unknown };
  const login: unknown = isObject(selfManaged) ? (Reflect.get(selfManaged, "login") ?? {}) : {};
  const name = typeof environment === "string" && environment !== "" ? environment : "unnamed";
  const isHosted = Reflect.get(value, "kind") === ClusterKind.Hosted;
  const args: object =
    isHosted || !isObject(selfManaged) || !isObject(login)
      ? value
      : { ...value, selfManaged: { ...selfManaged, login: { ...login, privateKey: LOGIN_KEY } } };
  return [
    // What is not of this shape is what is looked for.
    ...clusterProblems(name, args as ClusterArgs),
    ...("identity" in value
      ? [{ path: "identity", message: "a setting of its own: move it to fleetwright:identity" }]
      : []),
    ...(isObject(login) && "privateKey" in login
      ? [
          {
            path: "selfManaged.login.privateKey",
            message:
              "not a setting, because it is secret: remove it; `pulumi config set --secret sshPrivateKey` sets it",
          },
        ]
      : []),
  ];
}

/** Whose API server is not ours to configure, knows no other provider. */
function identitySettingProblems(value: unknown, { cluster }: FoundSettings): Problem[] {
  if (value === undefined) return [];
  return isCluster(cluster)
    ? identityProblems(value, memberOf(cluster, "kind"))
    : [{ path: "", message: "not used with an existing cluster: set it up where that cluster is built" }];
}

/** The account with which the program logs in is not a user's. */
function loginProblems(users: unknown, { cluster }: FoundSettings): Problem[] {
  if (!isCluster(cluster) || memberOf(cluster, "kind") === ClusterKind.Hosted) return [];
  const own = memberOf(memberOf(memberOf(cluster, "selfManaged"), "login"), "user") ?? DEFAULT_USER;
  return entriesOf(users).flatMap((user, index) =>
    memberOf(user, "name") === own
      ? [
          {
            path: `[${index}].name`,
            message: found(
              own,
              "this program logs in to nodes as cluster.selfManaged.login.user; use another name",
            ),
          },
        ]
      : [],
  );
}

function registrySettingProblems(value: unknown, { registryCredentials }: FoundSettings): Problem[] {
  const withSecret = (registry: unknown): boolean =>
    (memberOf(registry, "hasCredentials") ?? memberOf(registry, "provider") !== "ecr") === true;
  return [
    ...listed(value, (list) =>
      registryProblems(
        list.map((registry) => {
          if (!isObject(registry)) return registry;
          const { hasCredentials = memberOf(registry, "provider") !== "ecr", ...rest } = registry as {
            hasCredentials?: unknown;
          };
          return { ...rest, ...(hasCredentials === true ? { credentials: { password: "" } } : {}) } as never;
        }),
      ),
    ),
    ...entriesOf(value).flatMap((registry, index) => {
      const [name, flag] = [memberOf(registry, "name"), memberOf(registry, "hasCredentials")];
      if (flag !== undefined && typeof flag !== "boolean")
        return [{ path: `[${index}].hasCredentials`, message: found(flag, "use true or false") }];
      if (typeof name !== "string" || !withSecret(registry) || isObject(memberOf(registryCredentials, name)))
        return [];
      return [
        {
          path: `[${index}]`,
          message: `no credentials for ${JSON.stringify(name)}: \`pulumi config set --secret --path 'fleetwright:registryCredentials.${name}.password'\` sets the password, and .username the user; or set hasCredentials: false`,
        },
      ];
    }),
  ];
}

function credentialProblems(value: unknown, { registries }: FoundSettings): Problem[] {
  const names = namesOf(registries);
  const unused = isObject(value) ? Object.keys(value).filter((name) => !names.includes(name)) : [];
  return [
    ...checked(credentials.optional(), value).map(({ path, message }) => ({
      path,
      message: message.replace(/^found .*?: /, "found a value: "),
    })),
    ...unused.map((name) => ({ path: keyed("", name), message: `no such registry: ${meant(name, names)}` })),
  ];
}

/** What a distribution brings itself under the same names: whichever comes second cannot be installed. */
const PACKAGED: Readonly<Record<string, string>> = { "metrics-server": "rke2-metrics-server" };

function packagedProblems(value: unknown, { cluster }: FoundSettings): Problem[] {
  const kind = memberOf(cluster, "kind") ?? ClusterKind.Rke2;
  if (!isCluster(cluster) || kind === ClusterKind.Hosted) return [];
  const disabled = entriesOf(memberOf(memberOf(cluster, "selfManaged"), "disable"));
  return entriesOf(value).flatMap((plugin, index) => {
    const bundled = memberOf(plugin, "bundled");
    const own = typeof bundled === "string" ? PACKAGED[bundled] : undefined;
    if (own === undefined || (kind === ClusterKind.Rke2 && disabled.includes(own))) return [];
    const fix =
      kind === ClusterKind.Rke2 ? `, or leave RKE2's out by cluster.selfManaged.disable: [${own}]` : "";
    return [
      {
        path: `[${index}].bundled`,
        message: found(
          bundled,
          `${typeof kind === "string" ? kind : "the cluster"} brings its own; remove the plugin${fix}`,
        ),
      },
    ];
  });
}

/** A label for a pool that a new cluster does not have. Of an existing one nobody knows the pools. */
function poolProblems(value: unknown, { cluster }: FoundSettings): Problem[] {
  const pools = memberOf(value, "pools");
  if (!isCluster(cluster) || !isObject(pools)) return [];
  const names = [
    ...namesOf(memberOf(cluster, "pools")),
    ...(memberOf(cluster, "kind") === ClusterKind.Hosted ? [] : ["servers"]),
  ];
  return Object.keys(pools)
    .filter((pool) => !names.includes(pool))
    .map((pool) => ({ path: keyed("pools", pool), message: `no such pool: ${meant(pool, names)}` }));
}

/** A binding to a role that the stack does not declare. */
function roleProblems(value: unknown, { roles }: FoundSettings): Problem[] {
  const names = namesOf(roles);
  return entriesOf(value).flatMap((binding, index) => {
    const role = memberOf(binding, "role");
    return typeof role !== "string" || names.includes(role)
      ? []
      : [{ path: `[${index}].role`, message: found(role, `no such role; ${meant(role, names)}`) }];
  });
}

function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return known.length === 0 ? "none is declared" : `use one of ${known.join(", ")}`;
}

function checked(schema: z.ZodType, value: unknown): Problem[] {
  const result = check(schema, value);
  return result.ok ? [] : result.problems;
}

/** The problems of a list, whose paths the components begin with its own name. */
function listed(value: unknown, problems: (list: readonly never[]) => Problem[]): Problem[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [{ path: "", message: found(value, "use a list") }];
  return problems(value as never[]).map(({ path, message }) => ({ path: path.replace(/^\w+/, ""), message }));
}

function namesOf(list: unknown): string[] {
  return entriesOf(list)
    .map((entry) => memberOf(entry, "name"))
    .filter((name) => typeof name === "string");
}

function entriesOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}
