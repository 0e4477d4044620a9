// The checks of what is declared inside a cluster, by the rules of its kinds: what the API server would refuse in the middle
// of an update is refused before it begins. Loads no SDK of a cloud: a stack's settings are checked before they do.
import { KINDS, type KindName, SYSTEM_NAMESPACE } from "../../api";
import { isObject } from "../../lib/json";
import { nearest } from "../nearest";
import { below, found, joined, keyed, type Problem } from "../problem";
import { check, repeated } from "../schema";
import type { BindingArgs, NodeLabelSets, PluginArgs, RegistryArgs, RoleArgs, UserArgs } from "./args";
import catalogue from "./catalogue.json";

const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME_FIX =
  "use at most 63 lowercase letters, digits and hyphens, starting and ending with a letter or digit";

/** All that is wrong with users. */
export function userProblems(users: readonly UserArgs[]): Problem[] {
  return [
    ...each("users", users, (user) => specProblems("User", user)),
    ...repeated(
      "users",
      users.map((user) => memberOf(user, "name")),
    ),
  ];
}

/** All that is wrong with registries. */
export function registryProblems(registries: readonly RegistryArgs[]): Problem[] {
  return [
    ...named("registries", registries),
    ...each("registries", registries, (registry) =>
      specProblems("Registry", registrySpec(registry, SYSTEM_NAMESPACE), ["name", "hasCredentials"]),
    ),
  ];
}

/** All that is wrong with plugins. */
export function pluginProblems(plugins: readonly PluginArgs[]): Problem[] {
  const known = Object.keys(catalogue);
  return [
    ...named("plugins", plugins),
    ...each("plugins", plugins, (plugin) => {
      const { bundled } = plugin;
      if (bundled === undefined || known.includes(bundled))
        return specProblems("Plugin", pluginSpec(plugin), ["name", "bundled"]);
      const meant = nearest(bundled, known);
      const fix = meant === undefined ? `use one of ${known.join(", ")}` : `did you mean ${meant}?`;
      return [{ path: "bundled", message: found(bundled, `no such bundled plugin; ${fix}`) }];
    }),
  ];
}

/** All that is wrong with roles and bindings. Whether a binding's role exists, only the whole stack can tell. */
export function rbacProblems({
  roles = [],
  bindings = [],
}: {
  roles?: readonly RoleArgs[];
  bindings?: readonly BindingArgs[];
}): Problem[] {
  return [
    ...named("roles", roles),
    ...each("roles", roles, (role) => specProblems("AuthorizationRole", without(role, "name"), ["name"])),
    ...each("bindings", bindings, (binding) => {
      const name = bindingName(binding);
      return [
        ...(binding.name === undefined || NAME.test(name)
          ? []
          : [{ path: "name", message: found(binding.name, NAME_FIX) }]),
        ...specProblems("AuthorizationRoleBinding", without(binding, "name"), ["name"]),
      ];
    }),
    ...repeated("bindings", bindings.filter(isObject).map(bindingName)),
  ];
}

/** All that is wrong with labels of nodes. */
export function nodeLabelProblems({ cluster = {}, pools = {} }: NodeLabelSets): Problem[] {
  const sets: [string, unknown, (key: string, value: unknown) => Problem[]][] = [
    ["cluster", cluster, (key, value) => specProblems("ClusterLabel", { key, value })],
    ...entriesOf(pools).map(([pool, labels]): (typeof sets)[number] => [
      keyed("pools", pool),
      labels,
      (key, value) => specProblems("NodePoolLabel", { pool, key, value }),
    ]),
  ];
  return [
    ...(isObject(pools) ? [] : [{ path: "pools", message: found(pools, "use pools with keys and values") }]),
    ...sets.flatMap(([path, labels, problems]) =>
      isObject(labels)
        ? entriesOf(labels).flatMap(([key, value]) =>
            // The path of a label is its key; which of the spec's fields is wrong shows in the value.
            problems(key, value).map(({ message }) => ({ path: keyed(path, key), message })),
          )
        : [{ path, message: found(labels, "use keys and values") }],
    ),
  ];
}

/** The spec of a Registry: the credentials are named, never given. */
export function registrySpec(
  { name, credentials, ...rest }: RegistryArgs,
  namespace: unknown,
): Record<string, unknown> {
  const { provider, endpoint, ecr, serviceAccounts, ...others } = rest;
  return {
    provider,
    endpoint,
    ...(ecr === undefined ? {} : { ecr }),
    ...(serviceAccounts === undefined ? {} : { serviceAccounts }),
    ...(credentials === undefined ? {} : { credentials: { name: registrySecretName(name), namespace } }),
    ...others,
  };
}

/** The name of the Secret with a registry's credentials. */
export function registrySecretName(registry: string): string {
  return `registry-${registry}`;
}

/** The spec of a Plugin: that of the bundled one, with what is given. */
export function pluginSpec(plugin: PluginArgs): object {
  const bundled: Record<string, object> = catalogue;
  const base: { values?: object } = plugin.bundled === undefined ? {} : (bundled[plugin.bundled] ?? {});
  const values =
    base.values === undefined && plugin.values === undefined
      ? {}
      : { values: { ...base.values, ...plugin.values } };
  return { ...base, ...without(without(plugin, "name"), "bundled"), ...values };
}

/** The name of a binding's object. */
export function bindingName({ name, user, team, role, namespace }: BindingArgs): string {
  if (name !== undefined) return name;
  const words = [user ?? team, role, namespace].filter((word) => word !== undefined);
  return words
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
}

/** What is left of an object without one of its properties. */
export function without<T extends object, Key extends keyof T>(object: T, key: Key): Omit<T, Key> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as Omit<T, Key>;
}

/** All that is wrong with a spec. `more` are further keys that may stand beside it. */
function specProblems(kind: KindName, spec: object, more: readonly string[] = []): Problem[] {
  const checked = check(KINDS[kind].spec, spec, { siblings: more });
  return checked.ok ? [] : checked.problems;
}

/** The problems of each entry of a list, below its path. */
function each<Entry extends object>(
  path: string,
  list: readonly Entry[],
  problems: (entry: Entry) => Problem[],
): Problem[] {
  return list.flatMap((entry, index) =>
    isObject(entry)
      ? below(`${path}[${index}]`, problems(entry))
      : [{ path: `${path}[${index}]`, message: found(entry, "use keys and values") }],
  );
}

/** Names that no object can have, and names that were given more than once. */
function named(path: string, list: readonly object[]): Problem[] {
  const names = list.map((entry) => memberOf(entry, "name"));
  return [
    ...names.flatMap((name, index) =>
      !isObject(list[index]) || (typeof name === "string" && NAME.test(name))
        ? []
        : [{ path: joined(`${path}[${index}]`, "name"), message: found(name, NAME_FIX) }],
    ),
    ...repeated(path, names),
  ];
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function memberOf(value: unknown, key: string): string | undefined {
  const member: unknown = isObject(value) ? Reflect.get(value, key) : undefined;
  return typeof member === "string" ? member : undefined;
}
