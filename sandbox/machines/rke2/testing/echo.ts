import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { MachineHost } from "../../machine-host";
import { packNodeImage } from "../../images";

const IMAGE = "fleetwright.dev/echo:1";
/** Where the pods answer with the name of their node. */
const ECHO_PORT = 8080;
const PROGRAM = `require("http").createServer((q, a) => a.end(process.env.NODE_NAME)).listen(${ECHO_PORT});
process.on("SIGTERM", () => process.exit(0));
`;

/** Run inside a pod: whom it reaches at each address, and whom the service's name leads it to, each once. */
export function echoProgram(addresses: readonly string[]): string {
  return `const ask = (host) => fetch("http://" + host + ":${ECHO_PORT}", { signal: AbortSignal.timeout(10000) }).then((a) => a.text());
(async () => {
  const pods = await Promise.all(${JSON.stringify(addresses)}.map(ask));
  const service = new Set();
  for (let i = 0; i < 300 && service.size < pods.length; i++) {
    service.add(await fetch("http://echo.default.svc.cluster.local:${ECHO_PORT}", { headers: { connection: "close" } }).then((a) => a.text()));
  }
  console.log(JSON.stringify({ pods: pods.sort(), service: [...service].sort() }));
})();`;
}

let archive: Promise<{ file: string; folder: string }> | undefined;

/** Puts the image where RKE2 looks for images that no registry has. */
export async function importEchoImage(machineHost: MachineHost, machineId: string): Promise<void> {
  archive ??= pack();
  const { file } = await archive;
  await machineHost.inside(machineId).copy(file, "/var/lib/rancher/rke2/agent/images/echo.tar");
}

/** Removes the image's file. */
export async function removeEchoImage(): Promise<void> {
  if (archive !== undefined) await rm((await archive).folder, { recursive: true });
  archive = undefined;
}

async function pack(): Promise<{ file: string; folder: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-echo-"));
  const [source, file] = [path.join(folder, "echo.js"), path.join(folder, "echo.tar")];
  await writeFile(source, PROGRAM);
  await packNodeImage({ name: IMAGE, source, main: "echo.js" }, file);
  return { file, folder };
}

/** A pod on every node and a service over them. */
export function echoObjects(): unknown[] {
  const labels = { app: "echo" };
  const env = [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }];
  const containers = [
    { name: "echo", image: IMAGE, imagePullPolicy: "Never", env, ports: [{ containerPort: ECHO_PORT }] },
  ];
  const metadata = { name: "echo", namespace: "default", labels };
  return [
    {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers, tolerations: [{ operator: "Exists" }], terminationGracePeriodSeconds: 1 },
        },
      },
    },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: ECHO_PORT }] } },
  ];
}
