import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startControlPlane, type ControlPlane } from "../../../sandbox/controlplane";
import { ApiClient } from "../../../sandbox/controlplane/api";
import { waitFor } from "../../../lib/deadline";
import { listAt, textAt } from "../../../lib/json";
import { ensureTools } from "../../../sandbox/toolchain";
import type { MachineHost } from "../../../sandbox/machines/machine-host";
import { packNodeImage } from "../../../sandbox/machines/images";
import { apiServerEndpoint, apiServerEndpointPath, joinNode } from "./index";

const IMAGE = "fleetwright.dev/probe:1";
/** Asks the API server through its service address with the pod's own token, and writes the answer to the host path. */
const PROGRAM = `const fs = require("fs"), https = require("https");
const folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const headers = { authorization: "Bearer " + fs.readFileSync(folder + "token", "utf8") };
const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
const request = https.request({ host, port, path, method: "POST", ca: fs.readFileSync(folder + "ca.crt"),
  headers: { ...headers, "content-type": "application/json" } }, (answer) => {
  let text = "";
  answer.on("data", (chunk) => (text += chunk));
  answer.on("end", () => fs.writeFileSync("/out/" + process.env.NODE_NAME, host + " " + JSON.parse(text).status.userInfo.username));
});
request.end(body);
setInterval(() => {}, 1e6);
`;

/** Kubelets and their pods share this machine with whatever else it does. */
export const NODE_DEADLINE_MS = 180_000;

/** A machine that becomes a node. */
export interface NodeReference {
  id: string;
  hostname: string;
}

/** For tests: a control plane on the host whose nodes are machines of a machineHost, and a pod that proves that they work. */
export class NodeClusterFixture {
  private constructor(
    private readonly machineHost: MachineHost,
    private readonly cluster: ControlPlane,
    readonly api: ApiClient,
    private readonly work: string,
  ) {}

  /** Starts a control plane and lets machines join it. `gateway` is an address of the sandbox's router. */
  static async open(
    machineHost: MachineHost,
    nodes: readonly NodeReference[],
    gateway: string,
  ): Promise<NodeClusterFixture> {
    const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-join-"));
    const cluster = await startControlPlane();
    const authority = readFileSync(cluster.caCertificate, "utf8");
    const client = await cluster.credentialsFor("test", ["fleetwright:cluster-admins"]);
    const api = new ApiClient({ endpoint: cluster.endpoint, authority, client });
    await machineHost.networkServices.forwardPort({
      id: "fixture-api-server",
      listen: { side: "inside", host: gateway, port: 6443 },
      target: { side: "outside", host: "127.0.0.1", port: Number(new URL(cluster.endpoint).port) },
    });
    await api.apply(apiServerEndpointPath, apiServerEndpoint(gateway, 6443));
    const program = path.join(work, "probe.js");
    writeFileSync(program, PROGRAM);
    const image = path.join(work, "probe.tar");
    await packNodeImage({ name: IMAGE, source: program, main: "probe.js", user: "0:0" }, image);
    const tools = await ensureTools(["kubelet", "kube-proxy"]);
    await Promise.all(
      nodes.map(async ({ id, hostname }, index) =>
        joinNode(machineHost, id, {
          apiServer: `https://${gateway}:6443`,
          tlsServerName: "kubernetes.default.svc",
          authority,
          kubelet: await cluster.credentialsFor(`system:node:${hostname}`, ["system:nodes"]),
          kubeProxy: await cluster.credentialsFor("system:kube-proxy"),
          podCidr: `10.128.${index}.0/24`,
          clusterCidr: "10.128.0.0/9",
          tools: { kubelet: tools.kubelet.path, kubeProxy: tools["kube-proxy"].path },
          images: [image],
        }),
      ),
    );
    return new NodeClusterFixture(machineHost, cluster, api, work);
  }

  /** Waits until that many nodes are ready. */
  async ready(count: number): Promise<void> {
    await waitFor(
      `${count} ready nodes`,
      async () => {
        const nodes = listAt(await this.api.get("/api/v1/nodes"), "items");
        const ready = nodes.filter((node) =>
          listAt(node, "status", "conditions").some(
            (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
          ),
        );
        return ready.length === count || `${ready.length} of ${nodes.length} nodes are ready`;
      },
      { timeoutMs: NODE_DEADLINE_MS },
    );
  }

  /** Runs the pod on a node and gives what it wrote to the host path: the service's address and who it is there. */
  async probe({ id, hostname }: NodeReference): Promise<string> {
    await this.api.apply(`/api/v1/namespaces/default/pods/${hostname}`, pod(hostname));
    let written = "";
    await waitFor(
      `the pod on ${hostname}`,
      async () => {
        const { code, stdout, stderr } = await this.machineHost
          .inside(id)
          .attempt(["cat", `/srv/out/${hostname}`]);
        written = stdout;
        return (code === 0 && stdout !== "") || stderr;
      },
      { timeoutMs: NODE_DEADLINE_MS },
    );
    return written;
  }

  /** Ends the control plane. */
  async close(): Promise<void> {
    this.api.close();
    await this.machineHost.networkServices.removePortForward("fixture-api-server");
    await this.cluster.stop();
    await rm(this.work, { recursive: true });
  }
}

function pod(nodeName: string): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: nodeName, namespace: "default" },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "probe",
          image: IMAGE,
          imagePullPolicy: "Never",
          env: [{ name: "NODE_NAME", value: nodeName }],
          volumeMounts: [{ name: "out", mountPath: "/out" }],
        },
      ],
      volumes: [{ name: "out", hostPath: { path: "/srv/out", type: "DirectoryOrCreate" } }],
    },
  };
}
