// What a member does with what it accepts: fields of features that are off, and webhooks that change objects.
import https from "node:https";
import type { AddressInfo } from "node:net";
import {
  FleetServer,
  installHubKinds,
  ShareProbe,
  startSyncer,
  type RunningSyncer,
} from "../../test/harness/fleet";
import { waitFor } from "../../test/harness/fault-proxy";
import { certifiedKey, daysFromNow } from "../../sandbox/controlplane/certificate";
import type { KubernetesObject, Resource } from "../runtime";
import { NAMESPACES } from "./kinds";
import { atRest } from "./testing/campaign";

interface Deployment extends KubernetesObject {
  spec: { template: { spec: { containers: { name: string; image: string }[] } } };
}

const DEPLOYMENTS: Resource<Deployment> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
const WEBHOOKS: Resource<KubernetesObject & { webhooks: object[] }> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  namespaced: false,
};

/** Hub and member at once: what is tried here happens on the member's side alone. */
let server: FleetServer;
let shares: ShareProbe;
let running: RunningSyncer;
let hook: https.Server;

beforeAll(async () => {
  server = await FleetServer.start({ components: { controllerManager: false, scheduler: false } });
  await installHubKinds(server, ["Share"]);
  shares = new ShareProbe(server, "east");
  await shares.open();
  for (const [name, labels] of [
    ["shop", {}],
    ["hooked", { hooked: "true" }],
  ] as const)
    await server.direct.create(NAMESPACES, { metadata: { name, labels } });
  hook = await startWebhook(server);
});

beforeEach(async () => {
  running = await startSyncer({ cluster: "east", hub: server, member: server });
});

afterEach(() => running.stop());

afterAll(async () => {
  hook.close();
  hook.closeAllConnections();
  await server.stop();
});

function deployment(
  name: string,
  namespace: string,
  podSpec: object = {},
  container: object = {},
): KubernetesObject & { spec: object } {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "web", image: "example.com/web:1", ...container }], ...podSpec },
      },
    },
  };
}

const writesOf = (name: string): string[] =>
  running.writes().filter((write) => write.endsWith(`/deployments/${name}`));

test("row 4: a field of a feature that is off in the member is reported, and not written again and again", async () => {
  const container = { lifecycle: { stopSignal: "SIGUSR1" } };
  await shares.put("gated", deployment("gated", "shop", { os: { name: "linux" } }, container));
  expect(await shares.says("gated", "Dropped", "NotKept")).toMatch(
    /containers\[name="web"\]\.lifecycle.*: was dropped/,
  );
  await shares.says("gated", "Applied", "Applied");
  await atRest([running]);
  expect(writesOf("gated")).toHaveLength(1);
});

test("row 5: what a webhook adds is left, what it changes is reported, and it is written once", async () => {
  await shares.put("hooked", deployment("hooked", "hooked"));
  expect(await shares.says("hooked", "Dropped", "NotKept")).toMatch(
    /image: was changed from "example.com\/web:1" to "mirror.example.com\/web:1"/,
  );
  await atRest([running]);
  expect(writesOf("hooked")).toHaveLength(1);
  const { spec } = await server.direct.get(DEPLOYMENTS, { name: "hooked", namespace: "hooked" });
  expect(spec.template.spec.containers.map(({ name }) => name).sort()).toEqual(["proxy", "web"]);
});

test("after a restart what the member changed is not written again", async () => {
  await waitFor("it to be whole", () => running.syncer.problems().length === 0);
  await atRest([running]);
  expect(running.writes()).toEqual([]);
});

/** An admission webhook that adds a sidecar to Deployments of hooked namespaces, and takes their images from a mirror. */
async function startWebhook({ direct }: FleetServer): Promise<https.Server> {
  const { certificate, key } = await certifiedKey({
    subject: { commonName: "webhook" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: ["127.0.0.1"] },
    notAfter: daysFromNow(1),
  });
  const made = https.createServer({ cert: certificate, key }, (request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { request: review } = JSON.parse(text) as { request: { uid: string; object: Deployment } };
      const { containers } = review.object.spec.template.spec;
      const at = "/spec/template/spec/containers";
      const patch = [
        ...containers.flatMap(({ name, image }, index) =>
          name === "proxy" || image.startsWith("mirror.")
            ? []
            : [{ op: "replace", path: `${at}/${index}/image`, value: `mirror.${image}` }],
        ),
        ...(containers.some(({ name }) => name === "proxy")
          ? []
          : [{ op: "add", path: `${at}/-`, value: { name: "proxy", image: "example.com/proxy:1" } }]),
      ];
      const answer = {
        uid: review.uid,
        allowed: true,
        ...(patch.length === 0
          ? {}
          : { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") }),
      };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }),
      );
    });
  });
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  const { port } = made.address() as AddressInfo;
  await direct.create(WEBHOOKS, {
    metadata: { name: "mesh" },
    webhooks: [
      {
        name: "mesh.example.com",
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(certificate).toString("base64"),
        },
        rules: [
          {
            apiGroups: ["apps"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["deployments"],
          },
        ],
        namespaceSelector: { matchLabels: { hooked: "true" } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
      },
    ],
  });
  return made;
}
