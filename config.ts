// The settings of a stack: read, checked as a whole (components/stack) and filled up with defaults, before any resource is
// declared and before the SDKs of clouds are loaded.
import * as pulumi from "@pulumi/pulumi";
import type { RaisedCeiling } from "./api";
import type {
  BindingArgs,
  NodeLabelSets,
  PluginArgs,
  RegistryArgs,
  RoleArgs,
  UserArgs,
} from "./components/addons/args";
import type { AgentArgs } from "./components/agent/agent";
import type { CoordinatorArgs } from "./components/agent/coordinator";
import type { ClusterArgs } from "./components/cluster/args";
import { describe } from "./components/problem";
import { settingProblems } from "./components/stack/problems";
import type {
  ConfiguredHub,
  ConfiguredMember,
  ConfiguredRegistry,
  RegistryCredentials,
  StackSettings,
} from "./components/stack/settings";

/** What a stack asks for, with all defaults. */
export interface StackConfig {
  environment: string;
  /** The cluster to build; undefined where an existing one is managed. */
  cluster: ClusterArgs | undefined;
  /** The version that a ClusterUpgrade may bring the cluster to, besides the declared one. */
  upgradeTo: string | undefined;
  /** The context of the existing cluster; empty where one is built. */
  kubeContext: string;
  /** The hub that the cluster, or each of the members, belongs to. */
  hub: ConfiguredHub | undefined;
  /** Members of the hub, in a stack that has no cluster of its own. */
  members: ConfiguredMember[] | undefined;
  sshPrivateKey: pulumi.Output<string> | undefined;
  labels: Record<string, string>;
  users: UserArgs[];
  registries: RegistryArgs[];
  nodeLabels: NodeLabelSets;
  plugins: PluginArgs[];
  roles: RoleArgs[];
  roleCeiling: RaisedCeiling;
  bindings: BindingArgs[];
  /** Undefined where no image is named: the kinds are then declared, and nothing acts on them. */
  coordinator: Omit<CoordinatorArgs, "namespace"> | undefined;
  agent: Omit<AgentArgs, "namespace"> | undefined;
}

/** Settings that are text; all others are lists or keys and values, which the engine hands over as JSON. */
const TEXTS = ["environment", "kubeContext", "sshPrivateKey", "upgradeTo"];

/** Reads the stack's settings. Throws one error with everything that is wrong with them. */
export function readConfig(): StackConfig {
  const config = new pulumi.Config();
  const prefix = `${config.name}:`;
  const given = Object.fromEntries(
    Object.entries(pulumi.runtime.allConfig()).flatMap(([key, text]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), valueOf(key.slice(prefix.length), text)]] : [],
    ),
  );
  const problems = settingProblems(given, prefix);
  if (problems.length > 0) throw new pulumi.RunError(describe("stack settings", problems));
  // They are what the check has just made sure of.
  return withDefaults(given as unknown as StackSettings, config);
}

function valueOf(key: string, text: string): unknown {
  if (TEXTS.includes(key)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The only place where settings get their defaults; those of a cluster are in the schemas of its components. */
function withDefaults(settings: StackSettings, config: pulumi.Config): StackConfig {
  const { environment, cluster, kubeContext = "" } = settings;
  const identified = settings.identity === undefined ? {} : { identity: settings.identity };
  const { FLEETWRIGHT_COORDINATOR_IMAGE, FLEETWRIGHT_AGENT_IMAGE } = process.env;
  return {
    environment,
    cluster: kubeContext === "" && cluster !== undefined ? { ...cluster, ...identified } : undefined,
    upgradeTo: settings.upgradeTo,
    kubeContext,
    hub: settings.hub,
    members: settings.members,
    sshPrivateKey: config.getSecret("sshPrivateKey"),
    labels: {
      ...settings.labels,
      "app.kubernetes.io/managed-by": "fleetwright",
      "fleetwright.dev/environment": environment,
    },
    users: settings.users ?? [],
    registries: (settings.registries ?? []).map((registry) => withCredentials(registry, config)),
    nodeLabels: settings.nodeLabels ?? {},
    plugins: settings.plugins ?? [],
    roles: settings.roles ?? [],
    roleCeiling: settings.roleCeiling ?? {},
    bindings: settings.bindings ?? [],
    coordinator: withImage(settings.coordinator ?? {}, FLEETWRIGHT_COORDINATOR_IMAGE),
    agent: withImage(settings.agent ?? {}, FLEETWRIGHT_AGENT_IMAGE),
  };
}

/** What is secret about registries is a setting of its own, so that the rest can be read and shapes the stack. */
function withCredentials(configured: ConfiguredRegistry, config: pulumi.Config): RegistryArgs {
  const { hasCredentials = configured.provider !== "ecr", ...registry } = configured;
  if (!hasCredentials) return registry;
  const all = config.requireSecretObject<Partial<Record<string, RegistryCredentials>>>("registryCredentials");
  const own = all.apply((credentials) => credentials[registry.name]);
  return {
    ...registry,
    credentials: {
      username: own.apply((one) => one?.username ?? ""),
      password: own.apply((one) => one?.password ?? ""),
    },
  };
}

/** The settings of one of our programs; the sandbox names the image that it packed by the environment. */
function withImage<Args extends { image: string }>(
  given: Partial<Args>,
  packed: string | undefined,
): (Partial<Args> & { image: string }) | undefined {
  const image = given.image ?? packed ?? "";
  return image === "" ? undefined : { ...given, image };
}
