// The fallback as its pod would run it: Kubernetes' own programs with the flags that are declared for them.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { startProcess, stopProcess, type StartedProcess } from "../../lib/process";
import { ApiClient } from "../../sandbox/controlplane/api";
import { renderKubeconfig } from "../../sandbox/controlplane/kubeconfig";
import { certificateFiles, layoutOf } from "../../sandbox/controlplane/layout";
import { clientCertificate, serviceAccountKeyFiles } from "../../sandbox/controlplane/pki";
import { choosePorts } from "../../sandbox/controlplane/ports";
import { prepareFiles } from "../../sandbox/controlplane/startup";
import { ensureTools } from "../../sandbox/toolchain";
import { hubConfiguration } from "./configuration";
import { hubContainers, PORT } from "./containers";
import { checkHub } from "./problems";

const soon = { timeoutMs: 120_000 };
const image = (name: string): string => `registry.test/${name}@sha256:${"e".repeat(64)}`;
const running: StartedProcess[] = [];
let root: string;

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "fleetwright-hub-pod-"));
});

afterAll(async () => {
  for (const { spec, identity } of running.reverse()) await stopProcess(spec.name, identity, 2_000);
  await rm(root, { recursive: true, force: true, maxRetries: 3 });
});

test("kube-apiserver, its etcd and its ten controllers run with the flags that are declared for them", async () => {
  const checked = checkHub({
    server: "kube-apiserver",
    kubernetes: {
      apiServerImage: image("kube-apiserver"),
      controllerManagerImage: image("kube-controller-manager"),
      etcdImage: image("etcd"),
    },
  });
  if (!checked.ok) throw new Error("the arguments are wrong");
  const layout = layoutOf(path.join(root, "made"));
  const pki = await prepareFiles(layout);
  const { ca } = pki.authorities;
  for (const folder of ["keys", "configuration", "controllers", "state"])
    await mkdir(path.join(root, folder), { mode: 0o700 });
  const serving = certificateFiles(layout, "apiserver");
  const accounts = serviceAccountKeyFiles(layout);
  const authority = certificateFiles(layout, "ca");
  for (const [from, to] of [
    [serving.certificate, "server.crt"],
    [serving.key, "server.key"],
    [authority.certificate, "server-ca.crt"],
    [authority.certificate, "client-ca.crt"],
    [authority.key, "client-ca.key"],
    [accounts.key, "service-accounts.key"],
    [accounts.publicKey, "service-accounts.pub"],
  ] as const)
    await copyFile(from, path.join(root, "keys", to));
  for (const [name, text] of Object.entries(hubConfiguration()))
    await writeFile(path.join(root, "configuration", name), text);
  const { apiServer: port, controllerManager: controllerPort, etcdPeer } = await choosePorts();
  const endpoint = `https://localhost:${port}`;
  const names = { name: "hub", user: "controllers", endpoint, authority: ca.certificate };
  await writeFile(
    path.join(root, "controllers", "kubeconfig"),
    renderKubeconfig({ ...names, client: pki.leaves["controller-manager"] }),
  );

  const tools = await ensureTools(["etcd", "kube-apiserver", "kube-controller-manager"]);
  const here: Record<string, string[]> = {
    "kube-apiserver": ["--bind-address=127.0.0.1"],
    "kube-controller-manager": [`--secure-port=${controllerPort}`],
  };
  for (const container of hubContainers(checked.settings, "https://hub.test")) {
    const [program] = container.command;
    const tool = Object.values(tools).find(({ name }) => name === program);
    // Only where files are and which ports are free differs from the pod, where etcd has a folder of its own to work in.
    const args = (container.args as string[]).map((flag) =>
      flag
        .replace(`--secure-port=${PORT}`, `--secure-port=${port}`)
        .replace("/etc/hub/", `${root}/`)
        .replace("/var/lib/hub/", `${root}/state/`)
        .replace("unix://etcd-peer:0", `http://127.0.0.1:${etcdPeer}`),
    );
    running.push(
      await startProcess({
        name: program,
        command: tool?.path ?? "",
        args: [...args, ...(here[program] ?? [])],
        env: { PATH: "/usr/bin:/bin", HOME: root },
        logFile: path.join(root, `${program}.log`),
        lifetime: "owned",
      }),
    );
  }

  const admin = new ApiClient({
    endpoint,
    authority: await readFile(authority.certificate, "utf8"),
    client: await clientCertificate(ca, "admin", ["system:masters"]),
  });
  try {
    const ready = async (): Promise<boolean> => (await admin.send("GET", "/readyz")).status === 200;
    await waitFor("the API server", ready, soon);
    await admin.create("/api/v1/namespaces", { metadata: { name: "leaving" } });
    const account = "/api/v1/namespaces/leaving/serviceaccounts/default";
    await waitFor("its account", async () => (await admin.send("GET", account)).status === 200, soon);
    const rootCa = "/api/v1/namespaces/leaving/configmaps/kube-root-ca.crt";
    await waitFor("the authority", async () => (await admin.send("GET", rootCa)).status === 200, soon);
    await admin.send("DELETE", "/api/v1/namespaces/leaving");
    await waitFor(
      "the namespace to go",
      async () => (await admin.send("GET", "/api/v1/namespaces/leaving")).status === 404,
      soon,
    );
  } finally {
    admin.close();
  }
});
