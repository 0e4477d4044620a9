// A kind that goes from a member, and comes back.
import {
  CRDS,
  FleetServer,
  installHubKinds,
  ShareProbe,
  startSyncer,
  type RunningSyncer,
} from "../../test/harness/fleet";
import { waitFor } from "../../test/harness/fault-proxy";
import type { KubernetesObject } from "../runtime";
import { NAMESPACES } from "./kinds";

/** Hub and member at once: what is tried here happens on the member's side alone. */
let member: FleetServer;
let shares: ShareProbe;
let syncer: RunningSyncer;

beforeAll(async () => {
  member = await FleetServer.start({ components: { controllerManager: false, scheduler: false } });
  await installHubKinds(member, ["Share"]);
  shares = new ShareProbe(member, "east");
  await shares.open();
  await member.direct.create(NAMESPACES, { metadata: { name: "shop" } });
  syncer = await startSyncer({ cluster: "east", hub: member, member });
});

afterAll(async () => {
  await syncer.stop();
  await member.stop();
});

test("row 26: a kind that goes from the member is reported, the others go on, and it comes back with the kind", async () => {
  const definition = widgets();
  const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other", namespace: "shop" } };
  await member.direct.create(CRDS, definition);
  const widget = (spec: object): KubernetesObject & { spec: object } => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "shop" },
    spec,
  });
  await shares.put("widget", widget({ a: 1 }));
  await shares.says("widget", "Applied", "Applied", 90_000);
  await member.direct.delete(CRDS, definition.metadata);
  await waitFor("the kind to go", async () => (await member.find(CRDS, definition.metadata)) === undefined);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await shares.put("widget", widget({ a: 2 }));
  await shares.says("widget", "Applied", "KindMissing", 120_000);
  await shares.put("other", other);
  await shares.says("other", "Applied", "Applied");
  await member.direct.create(CRDS, definition);
  await shares.says("widget", "Applied", "Applied", 120_000);
});

function widgets(): KubernetesObject & { spec: object } {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  };
  return {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
