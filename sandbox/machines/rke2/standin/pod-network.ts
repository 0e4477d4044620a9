import { mkdir, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { ApiClient } from "../../../controlplane/api";
import { errorMessage } from "../../../../lib/failure";
import { listAt, textAt } from "../../../../lib/json";
import { run } from "../../command";
import { log } from "./log";

const CNI_FILE = "/etc/cni/net.d/10-rke2-standin.conflist";
const ASKING_MS = 400;
const LOOKING_MS = 3000;

/** A way to the pods of another node. */
export interface PodRoute {
  cidr: string;
  via: string;
}

/** The pods' range of a node and the ways to those of all others. */
export function podRoutes(nodes: readonly unknown[], self: string): { own?: string; routes: PodRoute[] } {
  const routes: PodRoute[] = [];
  let own: string | undefined;
  for (const node of nodes) {
    const cidr = textAt(node, "spec", "podCIDR");
    const via = listAt(node, "status", "addresses")
      .filter((address) => textAt(address, "type") === "InternalIP")
      .map((address) => textAt(address, "address"))[0];
    if (cidr === undefined) continue;
    if (textAt(node, "metadata", "name") === self) own = cidr;
    else if (via !== undefined) routes.push({ cidr, via });
  }
  return { ...(own === undefined ? {} : { own }), routes };
}

/**
 * The network of pods, in the place of RKE2's CNI charts: each pod has a link of its own to the node, so that services
 * work between pods of one node without the bridge filter module, and nodes have routes to each other's pods. All of a
 * sandbox's machines are on one wire, so a route needs no tunnel, also between subnets.
 */
export async function runPodNetwork(api: ApiClient, nodeName: string, device: string): Promise<never> {
  const known = new Map<string, string>();
  let own: string | undefined;
  for (;;) {
    try {
      const found = podRoutes(listAt(await api.get("/api/v1/nodes?resourceVersion=0"), "items"), nodeName);
      if (found.own !== undefined && found.own !== own) {
        await writeCniConfig(found.own);
        own = found.own;
        log("info", `Pods of this node have addresses of ${own}`);
      }
      await follow(known, found.routes, device);
    } catch (error) {
      log("debug", `pod network: ${errorMessage(error)}`);
    }
    await pause(own === undefined ? ASKING_MS : LOOKING_MS);
  }
}

async function follow(
  known: Map<string, string>,
  routes: readonly PodRoute[],
  device: string,
): Promise<void> {
  const wanted = new Map(routes.map(({ cidr, via }) => [cidr, via]));
  for (const [cidr, via] of wanted) {
    if (known.get(cidr) === via) continue;
    await run(["ip", "route", "replace", cidr, "via", via, "dev", device, "onlink"]);
    known.set(cidr, via);
    log("info", `Route to the pods of ${via}: ${cidr}`);
  }
  for (const cidr of [...known.keys()].filter((cidr) => !wanted.has(cidr))) {
    await run(["ip", "route", "del", cidr]).catch(() => {});
    known.delete(cidr);
  }
}

async function writeCniConfig(podCidr: string): Promise<void> {
  const config = {
    cniVersion: "0.4.0",
    name: "rke2-standin",
    plugins: [
      {
        type: "ptp",
        ipMasq: false,
        ipam: { type: "host-local", ranges: [[{ subnet: podCidr }]], routes: [{ dst: "0.0.0.0/0" }] },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
  await mkdir("/etc/cni/net.d", { recursive: true });
  await writeFile(CNI_FILE, `${JSON.stringify(config, undefined, 2)}\n`);
}
