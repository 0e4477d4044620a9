// The program: one stack, one cluster. What it declares follows from the stack's settings (config.ts).
import * as pulumi from "@pulumi/pulumi";
import type * as library from "./components";
import { describe } from "./components/problem";
import { kubeconfigOfContext } from "./components/stack/kube-context";
import { type StackTransforms, transformProblems } from "./components/stack/transforms";
import { readConfig, type StackConfig } from "./config";
import { sayWhetherAhead } from "./preview";
import { usableKubeconfig, watchFirstDial } from "./way-in";

/** The outputs of a stack. */
interface StackOutputs {
  /** Where the product lives in the cluster. */
  namespace?: pulumi.Output<string>;
  /** The kubeconfig of the hub, in a stack of members. */
  hubKubeconfig?: pulumi.Output<string>;
  kubeconfig?: pulumi.Output<string>;
  endpoint?: pulumi.Output<string>;
  nodePools?: pulumi.Output<object[]>;
  /** The machine between here and the cluster, for `npm run tunnel`. */
  bastion?: library.BastionOutput;
  /** What nodes are logged in to with. */
  sshPrivateKey?: pulumi.Output<string>;
}

/** Declares everything. */
function declare(config: StackConfig): StackOutputs {
  // Loaded now and not above: the SDKs behind the components take longer than all else, and settings were checked without.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would be loaded first
  const components = require("./components") as typeof library;
  const { environment, cluster, labels } = config;
  const transforms = loadTransforms();
  for (const transform of transforms.resources ?? []) pulumi.runtime.registerResourceTransform(transform);

  const { hub, members } = config;
  if (hub !== undefined && members !== undefined) {
    const fleet = new components.Fleet(environment, {
      hub: kubeconfigOfContext(hub.kubeContext),
      members: members.map(({ kubeContext, ...member }) => ({
        ...member,
        kubeconfig: kubeconfigOfContext(kubeContext),
      })),
      kinds: false,
      labels,
    });
    return { hubKubeconfig: fleet.hubKubeconfig };
  }

  const login =
    cluster !== undefined && cluster.kind !== components.ClusterKind.Hosted
      ? (config.sshPrivateKey ?? components.newLoginKey("login"))
      : undefined;

  const built =
    cluster === undefined
      ? undefined
      : new components.Cluster(environment, {
          ...cluster,
          ...(transforms.cluster === undefined ? {} : { transform: transforms.cluster }),
          ...(login === undefined
            ? {}
            : {
                selfManaged: {
                  ...cluster.selfManaged,
                  login: { ...cluster.selfManaged?.login, privateKey: login },
                },
              }),
        });

  // A stack's file may leave it out.
  const givenLogin: Partial<library.LoginArgs> = { ...cluster?.selfManaged?.login };
  if (built?.loginPort !== undefined && givenLogin.proxy === undefined)
    watchFirstDial(built, { port: built.loginPort, from: cluster?.network?.bastion?.from ?? [] });
  const inCluster =
    built === undefined
      ? components.accessToExisting(config.kubeContext)
      : components.accessToBuilt(built, usableKubeconfig(built, login));

  if (hub !== undefined && built !== undefined) {
    const { kubeContext, name = environment, ...member } = hub;
    const kubeconfig = usableKubeconfig(built, login);
    new components.Fleet(
      "hub",
      {
        hub: kubeconfigOfContext(kubeContext),
        members: [{ ...member, name, kubeconfig }],
        kinds: false,
        labels,
      },
      { dependsOn: [built] },
    );
  }

  const record = { environment, ...declaredVersions(config, components.ClusterKind.Hosted) };
  const system = new components.SystemNamespace("system", { record, labels }, inCluster);
  const { namespace } = system;
  const people = new components.PeopleNamespace("people", { labels }, inCluster);
  // A cluster that is not ours may hold objects of these kinds that are not ours either.
  const kinds = new components.CustomResources("kinds", { retain: built === undefined }, inCluster);

  // Programs come when all nodes are there, and spread over them.
  const withKinds = {
    ...inCluster,
    dependsOn: [kinds, system, people, ...(built === undefined ? [] : [built])],
  };
  const programs = [
    ...(config.coordinator === undefined
      ? []
      : [
          new components.Coordinator(
            "fleetwright-coordinator",
            { ...config.coordinator, namespace, labels },
            withKinds,
          ),
          new components.PluginInstaller("plugin-installer", { labels }, withKinds),
          new components.RoleCeiling("role-ceiling", { ...config.roleCeiling, labels }, withKinds),
        ]),
    ...(config.agent === undefined
      ? []
      : [new components.Agent("fleetwright-agent", { ...config.agent, namespace, labels }, withKinds)]),
  ];
  if (config.coordinator === undefined)
    void pulumi.log.warn(
      "fleetwright:coordinator.image is not set: skipping the coordinator; registries, labels, plugins and roles will have no effect",
    );
  if (config.agent === undefined)
    void pulumi.log.warn(
      "fleetwright:agent.image is not set: skipping the agent; users will not reach nodes",
    );

  // What is declared goes before the programs that act on it: they clean up after it.
  const declarations = { ...inCluster, dependsOn: [kinds, system, ...programs] };
  new components.Users("users", { users: config.users, labels }, declarations);
  new components.Registries("registries", { registries: config.registries, namespace, labels }, declarations);
  new components.NodeLabels("node-labels", { ...config.nodeLabels, labels }, declarations);
  new components.Plugins("plugins", { plugins: config.plugins, labels }, declarations);
  new components.Rbac("rbac", { roles: config.roles, bindings: config.bindings, labels }, declarations);

  return {
    namespace,
    ...(built === undefined
      ? {}
      : { kubeconfig: built.kubeconfig, endpoint: built.endpoint, nodePools: built.nodePools }),
    ...(built?.bastion === undefined ? {} : { bastion: built.bastion }),
    ...(login === undefined ? {} : { sshPrivateKey: pulumi.secret(login) }),
  };
}

/** What somebody wrote into `transforms.ts`; run.js says which file that is. */
function loadTransforms(): StackTransforms {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- it may load the SDKs, and settings were checked without
  const { default: given } = require("#transforms") as { default: unknown };
  const problems = transformProblems(given);
  if (problems.length > 0) throw new pulumi.RunError(describe("transforms.ts", problems));
  return given as StackTransforms;
}

/** What the cluster is to know of its stack's versions: a ClusterUpgrade goes to no other. */
function declaredVersions(
  { cluster, upgradeTo }: StackConfig,
  hosted: library.ClusterKind,
): Record<string, string> {
  if (cluster === undefined || cluster.kind === hosted) return {};
  const { version } = cluster;
  const agreed = upgradeTo === undefined || upgradeTo === version ? undefined : upgradeTo;
  void sayWhetherAhead(version).then((said) =>
    said || agreed === undefined
      ? undefined
      : pulumi.log.warn(
          `fleetwright:upgradeTo is ${agreed} and cluster.version ${version}: a ClusterUpgrade may bring the cluster ahead of this file. ` +
            `Look with "kubectl get clusterupgrades"; once it is done, set cluster.version to ${agreed} and remove upgradeTo`,
        ),
  );
  return { version, ...(agreed === undefined ? {} : { upgradeTo: agreed }) };
}

export = declare(readConfig());
