import { PLUGIN_INSTALLER, PLUGIN_NAMESPACE, SYSTEM_NAMESPACE, type Plugin } from "../../../api";
import { joinRules, type PolicyRule } from "../../app/rules";
import { kindName } from "../../workload";
import { PRODUCT, MANAGED_BY } from "../../app/ownership";
import { groupOf, isRecord, manifestsIn, type Manifest } from "./manifest";
import { definedBy } from "./rest-mapping";
import { VERBS } from "./permissions";

const RBAC = "rbac.authorization.k8s.io";
const LABELS = { [MANAGED_BY]: PRODUCT, "app.kubernetes.io/component": "plugins" };

/** The kinds that bundled plugins may have, as the API server serves them. */
const KINDS: Readonly<Record<string, { plural: string; namespaced: boolean }>> = {
  ServiceAccount: { plural: "serviceaccounts", namespaced: true },
  ConfigMap: { plural: "configmaps", namespaced: true },
  PersistentVolumeClaim: { plural: "persistentvolumeclaims", namespaced: true },
  Service: { plural: "services", namespaced: true },
  "Deployment.apps": { plural: "deployments", namespaced: true },
  "NetworkPolicy.networking.k8s.io": { plural: "networkpolicies", namespaced: true },
  [`ClusterRole.${RBAC}`]: { plural: "clusterroles", namespaced: false },
  [`ClusterRoleBinding.${RBAC}`]: { plural: "clusterrolebindings", namespaced: false },
  [`Role.${RBAC}`]: { plural: "roles", namespaced: true },
  [`RoleBinding.${RBAC}`]: { plural: "rolebindings", namespaced: true },
  "CustomResourceDefinition.apiextensions.k8s.io": { plural: "customresourcedefinitions", namespaced: false },
  "APIService.apiregistration.k8s.io": { plural: "apiservices", namespaced: false },
};

/** An object of the installer's, as it is applied. */
export interface InstallerObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels: Record<string, string> };
  [field: string]: unknown;
}

interface NonResourceRule {
  nonResourceURLs: readonly string[];
  verbs: readonly string[];
}

/** Rights in the whole cluster under "", and in single namespaces under their names. */
class Rights {
  readonly rules = new Map<string, PolicyRule[]>();
  readonly paths: NonResourceRule[] = [];

  add(namespace: string, rule: PolicyRule): void {
    this.rules.set(namespace, [...(this.rules.get(namespace) ?? []), rule]);
  }
}

/**
 * The namespace of plugins, the account that installs the bundled ones, and exactly the rights that this takes: each object
 * by its name, and every right that the plugins' own roles give, because the API server lets nobody give what he does not have.
 */
export function installerOf(plugins: readonly Plugin[]): InstallerObject[] {
  const rights = new Rights();
  // Sources and values may stand in the namespace of plugins.
  rights.add(PLUGIN_NAMESPACE, { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["get"] });
  for (const { metadata, spec } of plugins) {
    const manifests = manifestsIn(spec.source.inline ?? [], metadata.name);
    for (const manifest of manifests) addRightsFor(manifest, manifests, spec.namespace, rights);
    if (spec.jobs.before.length + spec.jobs.after.length > 0)
      rights.add(spec.namespace, {
        apiGroups: ["batch"],
        resources: ["jobs"],
        verbs: ["get", "create", "delete"],
      });
  }
  const head = (kind: string, name: string, namespace?: string): InstallerObject => ({
    apiVersion: kind === "Namespace" || kind === "ServiceAccount" ? "v1" : `${RBAC}/v1`,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: LABELS },
  });
  const namespace = head("Namespace", PLUGIN_NAMESPACE);
  const enforced = { "pod-security.kubernetes.io/enforce": "restricted" };
  const subjects = [{ kind: "ServiceAccount", name: PLUGIN_INSTALLER, namespace: SYSTEM_NAMESPACE }];
  return [
    { ...namespace, metadata: { ...namespace.metadata, labels: { ...LABELS, ...enforced } } },
    { ...head("ServiceAccount", PLUGIN_INSTALLER, SYSTEM_NAMESPACE), automountServiceAccountToken: false },
    ...[...rights.rules].sort().flatMap(([where, rules]) => {
      const place = where === "" ? undefined : where;
      const kind = place === undefined ? "ClusterRole" : "Role";
      const paths = place === undefined ? rights.paths : [];
      return [
        { ...head(kind, PLUGIN_INSTALLER, place), rules: [...joinNames(rules), ...paths] },
        {
          ...head(`${kind}Binding`, PLUGIN_INSTALLER, place),
          roleRef: { apiGroup: RBAC, kind, name: PLUGIN_INSTALLER },
          subjects,
        },
      ];
    }),
  ];
}

function addRightsFor(manifest: Manifest, all: readonly Manifest[], home: string, rights: Rights): void {
  const { metadata, roleRef, rules } = manifest;
  const kind = kindName(manifest);
  const made = all
    .flatMap(definedBy)
    .find((one) => one.kind === manifest.kind && one.group === groupOf(manifest));
  const found = made ?? KINDS[kind];
  if (found === undefined || JSON.stringify([metadata, rules, roleRef]).includes("${"))
    throw new Error(
      `The right to install ${kind} ${metadata.name} cannot be derived: add the kind to catalogue.ts, and use no value in names and rules.`,
    );
  const where = found.namespaced ? (metadata.namespace ?? home) : "";
  rights.add(where, {
    apiGroups: [groupOf(manifest)],
    resources: [found.plural],
    resourceNames: [metadata.name],
    verbs: VERBS,
  });
  for (const { group, plural } of definedBy(manifest))
    rights.add("", { apiGroups: [group], resources: [plural], verbs: ["list"] });
  if (groupOf(manifest) !== RBAC) return;
  for (const rule of Array.isArray(rules) ? rules.filter(isRecord) : []) {
    if (isPolicyRule(rule)) rights.add(where, rule);
    else if (isNonResourceRule(rule)) rights.paths.push(rule);
  }
  // A role that is not the plugin's own: to give exactly this one, whatever is in it.
  if (isRecord(roleRef) && typeof roleRef.name === "string" && !isAmong(all, roleRef)) {
    const resource = roleRef.kind === "Role" ? "roles" : "clusterroles";
    rights.add(where, {
      apiGroups: [RBAC],
      resources: [resource],
      resourceNames: [roleRef.name],
      verbs: ["bind"],
    });
  }
}

/** The rules, with the names of what has the same verbs together. */
function joinNames(rules: readonly PolicyRule[]): PolicyRule[] {
  const together = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { resourceNames, ...rest } = rule;
    const key = JSON.stringify([rest, resourceNames === undefined]);
    const names = [
      ...new Set([...(together.get(key)?.resourceNames ?? []), ...(resourceNames ?? [])]),
    ].sort();
    together.set(key, resourceNames === undefined ? rule : { ...rest, resourceNames: names });
  }
  return joinRules([...together.values()]);
}

function isAmong(all: readonly Manifest[], { kind, name }: Record<string, unknown>): boolean {
  return all.some((manifest) => manifest.kind === kind && manifest.metadata.name === name);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isPolicyRule(rule: Record<string, unknown>): rule is Record<string, unknown> & PolicyRule {
  return isTexts(rule.apiGroups) && isTexts(rule.resources) && isTexts(rule.verbs);
}

function isNonResourceRule(rule: Record<string, unknown>): rule is Record<string, unknown> & NonResourceRule {
  return isTexts(rule.nonResourceURLs) && isTexts(rule.verbs);
}
