import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { startControlPlane, type ControlPlane } from "../../controlplane";
import { ApiClient } from "../../controlplane/api";
import { waitFor } from "../../deadline";
import { listAt, textAt } from "../../json";
import { ensureTools } from "../../toolchain";
import { packNodeImage } from "../images";
import { describeMachines, trialHall } from "../trial-hall";
import { trialMachine } from "../trial-machine";
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

/** Two kubelets and their pods share this machine with whatever else it does. */
const DEADLINE_MS = 180_000;

describeMachines("machines that join a cluster", () => {
  const hall = trialHall();
  const work = mkdtempSync(path.join(os.tmpdir(), "fleetwright-join-"));
  const machines = [
    trialMachine(),
    trialMachine({
      id: "i-0a2",
      privateIp: "10.0.2.10",
      subnetCidr: "10.0.2.0/24",
      hostname: "ip-10-0-2-10",
    }),
  ];
  let cluster: ControlPlane;
  let api: ApiClient;

  beforeAll(async () => {
    [cluster] = await Promise.all([startControlPlane(), hall.open()]);
    const authority = readFileSync(cluster.caCertificate, "utf8");
    const client = await cluster.credentialsFor("test", ["fleetwright:cluster-admins"]);
    api = new ApiClient({ endpoint: cluster.endpoint, authority, client });
    await Promise.all(machines.map((machine) => hall.launch(machine)));
    await hall.switchboard.forward({
      id: "api-server",
      listen: { side: "inside", host: "10.0.1.1", port: 6443 },
      target: { side: "outside", host: "127.0.0.1", port: Number(new URL(cluster.endpoint).port) },
    });
    await api.apply(apiServerEndpointPath, apiServerEndpoint("10.0.1.1", 6443));
    const program = path.join(work, "probe.js");
    writeFileSync(program, PROGRAM);
    const image = path.join(work, "probe.tar");
    await packNodeImage({ name: IMAGE, source: program, main: "probe.js", user: "0:0" }, image);
    const tools = await ensureTools(["kubelet", "kube-proxy"]);
    await Promise.all(
      machines.map(async ({ id, hostname }, index) =>
        joinNode(hall, id, {
          apiServer: "https://10.0.1.1:6443",
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
  }, 600_000);
  afterAll(async () => {
    api.close();
    await hall.destroy();
    await cluster.stop();
    await rm(work, { recursive: true });
  });

  test(
    "become ready",
    async () => {
      await waitFor(
        "two ready nodes",
        async () => {
          const nodes = listAt(await api.get("/api/v1/nodes"), "items");
          const ready = nodes.filter((node) =>
            listAt(node, "status", "conditions").some(
              (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
            ),
          );
          return ready.length === 2 || `${ready.length} of ${nodes.length} nodes are ready`;
        },
        { timeoutMs: DEADLINE_MS },
      );
    },
    2 * DEADLINE_MS,
  );

  test(
    "run pods that reach the API server through its service and write to a host path",
    async () => {
      for (const { hostname } of machines)
        await api.apply(`/api/v1/namespaces/default/pods/${hostname}`, pod(hostname));
      for (const { id, hostname } of machines) {
        let written = "";
        await waitFor(
          `the pod on ${hostname}`,
          async () => {
            const { code, stdout, stderr } = await hall.inside(id).attempt(["cat", `/srv/out/${hostname}`]);
            written = stdout;
            return (code === 0 && stdout !== "") || stderr;
          },
          { timeoutMs: DEADLINE_MS },
        );
        expect(written).toBe("10.96.0.1 system:serviceaccount:default:default");
      }
    },
    4 * DEADLINE_MS,
  );

  test("let pods of one machine reach pods of another by their own addresses", async () => {
    const addressOf = async (name: string): Promise<string> => {
      const place = `/api/v1/namespaces/default/pods/${name}`;
      let ip: string | undefined;
      await waitFor(
        `the address of ${name}`,
        async () => (ip = textAt(await api.get(place), "status", "podIP")) !== undefined,
        {
          timeoutMs: 30_000,
        },
      );
      return ip ?? "";
    };
    const [one, two] = await Promise.all(machines.map(({ hostname }) => addressOf(hostname)));
    expect(one).toMatch(/^10\.128\.0\./);
    const find = 'nsenter -t $(pgrep -xo node) -n ping -c1 -W2 "$1"';
    expect(await hall.inside("i-0a1").run(["sh", "-c", find, "sh", two ?? ""])).toContain("1 received");
  });
});

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
