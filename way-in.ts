// The way from here to the cluster: tunnels, and what is said where nothing answers. The program declares, and this dials.
import * as pulumi from "@pulumi/pulumi";
import type * as library from "./components";
import { Failure } from "./lib/failure";
import { openTunnel } from "./tunnel/open";
import { bootProblem, reachProblem } from "./tunnel/reach";
import type { TunnelSettings } from "./tunnel/settings";

/** How long a machine may take to boot before something is said; `FLEETWRIGHT_DIAL_SECONDS` sets another time. */
function bootLimit(): { milliseconds: number } {
  const given = Number(process.env.FLEETWRIGHT_DIAL_SECONDS);
  return { milliseconds: (given > 0 ? given : 240) * 1000 };
}

/** A kubeconfig that works from here as soon as it is known: behind a bastion, the tunnel is open then. */
export function usableKubeconfig(
  cluster: library.Cluster,
  login: pulumi.Input<string> | undefined,
): pulumi.Output<string> {
  const { bastion } = cluster;
  if (bastion === undefined || login === undefined) return cluster.kubeconfig;
  const { address, hostKey, user, endpoint, identity, localPort } = bastion;
  const opened = pulumi
    .all([cluster.kubeconfig, address, hostKey, user, endpoint, pulumi.output(login)])
    .apply(async ([kubeconfig, host, key, userName, api, privateKey]) => {
      const { hostname, port } = new URL(api);
      await open({
        identity,
        localPort,
        bastion: { host, port: 22, user: userName, hostKey: key, privateKey },
        target: { host: hostname, port: Number(port) },
      });
      return kubeconfig;
    });
  return pulumi.secret(opened);
}

async function open(settings: TunnelSettings): Promise<void> {
  const engine = process.env.PULUMI_NODEJS_ENGINE ?? "";
  try {
    await openTunnel(settings, engine, process.cwd());
  } catch (error) {
    if (error instanceof Failure) throw new pulumi.RunError(error.message);
    throw error;
  }
  const problem = await reachProblem(settings);
  // A cluster that is down can still be previewed and destroyed: what needs it fails by itself.
  if (problem !== undefined) await pulumi.log.warn(problem);
}

/** Says why nodes cannot be reached, while the commands that need them still wait. */
export function watchFirstDial(
  cluster: library.Cluster,
  config: { port: number; from: readonly string[] },
): void {
  if (pulumi.runtime.isDryRun()) return;
  const { bastion } = cluster;
  if (bastion === undefined) {
    cluster.stateVolumes.apply(async ([first]) => {
      if (first === undefined) return;
      const { member, address } = first;
      const problem = await bootProblem(member, { host: address, port: config.port }, bootLimit());
      if (problem !== undefined)
        await pulumi.log.warn(
          `${problem} Nodes have private addresses: set network.bastion.from to the ranges that you come from, and a bastion is made; or name one of yours in selfManaged.login.proxy, or run Pulumi inside the network or behind a VPN into it.`,
        );
    });
    return;
  }
  bastion.address.apply(async (host) => {
    const problem = await bootProblem("the bastion", { host, port: 22 }, bootLimit());
    if (problem !== undefined)
      await pulumi.log.warn(
        `${problem} It lets in ${config.from.join(", ")}: put the public address that you have into network.bastion.from.`,
      );
  });
}
