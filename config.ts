import * as pulumi from "@pulumi/pulumi";
import type { BindingArgs, PluginArgs, RegistryArgs, RoleArgs, UserArgs } from "./components/addons";
import type { AgentArgs, CoordinatorArgs } from "./components/agent";
import type { ClusterArgs } from "./components/cluster";

/** What a stack asks for; `Pulumi.yaml` describes every setting. */
export interface StackConfig {
  environment: string;
  /** The cluster to build; undefined to take one that is there. */
  cluster: ClusterArgs | undefined;
  /** The context of the cluster that is there. */
  kubeContext: string;
  sshPrivateKey: pulumi.Output<string> | undefined;
  labels: Record<string, string>;
  users: UserArgs[];
  registries: RegistryArgs[];
  nodeLabels: { cluster?: Record<string, string>; pools?: Record<string, Record<string, string>> };
  plugins: PluginArgs[];
  roles: RoleArgs[];
  bindings: BindingArgs[];
  /** Undefined where no image is named: the kinds are then declared, and nothing acts on them. */
  coordinator: Omit<CoordinatorArgs, "namespace"> | undefined;
  /** The same for the agent: nobody then looks after nodes from the inside. */
  agent: Omit<AgentArgs, "namespace"> | undefined;
}

/** Reads the stack's settings. */
export function readConfig(): StackConfig {
  const config = new pulumi.Config();
  const environment = config.require("environment");
  const kubeContext = config.get("kubeContext") ?? "";
  const cluster = config.requireObject<ClusterArgs>("cluster");
  const count = Object.keys(cluster).length;
  if ((kubeContext === "") === (count === 0)) {
    throw new pulumi.RunError(
      `Say which cluster the stack is for: either fleetwright:cluster (one to build; it has ${count} settings) or fleetwright:kubeContext (one that is there; it is "${kubeContext}"), not both.`,
    );
  }
  return {
    environment,
    cluster: count === 0 ? undefined : cluster,
    kubeContext,
    sshPrivateKey: config.getSecret("sshPrivateKey"),
    labels: {
      ...config.requireObject<Record<string, string>>("labels"),
      "app.kubernetes.io/managed-by": "fleetwright",
      "fleetwright.dev/environment": environment,
    },
    users: config.requireObject("users"),
    registries: registriesOf(config),
    nodeLabels: config.requireObject("nodeLabels"),
    plugins: config.requireObject("plugins"),
    roles: config.requireObject("roles"),
    bindings: config.requireObject("bindings"),
    coordinator: workloadOf(config.requireObject("coordinator"), process.env.FLEETWRIGHT_COORDINATOR_IMAGE),
    agent: workloadOf(config.requireObject("agent"), process.env.FLEETWRIGHT_AGENT_IMAGE),
  };
}

/** The credentials of a registry, under its name. */
export interface RegistryCredentials {
  /** @default none, as for Google's registry */
  username?: string;
  password: string;
}

/** A registry as a stack's file has it. */
export interface ConfiguredRegistry extends Omit<RegistryArgs, "credentials"> {
  /** Whether `registryCredentials` has credentials for it. @default true for all but ECR, where a role does without */
  hasCredentials?: boolean;
}

/** What is secret about registries stands in a setting of its own, so that the rest can be read and shapes the stack. */
function registriesOf(config: pulumi.Config): RegistryArgs[] {
  const key = "registryCredentials";
  const given = config.getSecretObject<AllCredentials>(key);
  // Whose there are is no secret, and is known before anything is made.
  const known = JSON.parse(pulumi.runtime.getConfig(`${config.name}:${key}`) ?? "{}") as AllCredentials;
  return config.requireObject<ConfiguredRegistry[]>("registries").map((configured) => {
    const { hasCredentials = configured.provider !== "ecr", ...registry } = configured;
    if (!hasCredentials) return registry;
    const { name } = registry;
    if (known[name]?.password === undefined)
      throw new pulumi.RunError(
        `The registry ${JSON.stringify(name)} has no credentials: pulumi config set --secret --path 'fleetwright:${key}.${name}.password' sets the password, and the same without --secret for .username its user; or say hasCredentials: false.`,
      );
    const own = pulumi.secret(given ?? {}).apply((all) => all[name]);
    return {
      ...registry,
      credentials: {
        username: own.apply((one) => one?.username ?? ""),
        password: own.apply((one) => one?.password ?? ""),
      },
    };
  });
}

type AllCredentials = Partial<Record<string, Partial<RegistryCredentials>>>;

/** The settings of one of our programs; the sandbox names the image that it packed by the environment. */
function workloadOf<Args extends { image: string }>(
  given: Partial<Args>,
  packed: string | undefined,
): (Partial<Args> & { image: string }) | undefined {
  const image = given.image ?? packed;
  return image === undefined || image === "" ? undefined : { ...given, image };
}
