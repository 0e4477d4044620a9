// What `npm run hub -- explain` prints, from what a real hub keeps of two clusters that differ.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { IMPORTS, NEGOTIATED, type ImportObject, type NegotiatedObject } from "../controllers/hub/apis/kinds";
import { Schemas } from "../controllers/hub/apis/schemas";
import type { Schema } from "../controllers/negotiation";
import { FleetServer, installHubKinds } from "../test/harness/fleet";
import { explain } from "./explain";

const NAME = "widgets.v1.example.com";
const forever = new AbortController().signal;

let hub: FleetServer;
let folder: string;

const schemaWith = (properties: Record<string, Schema>): Schema => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fleetwright-explain-"));
  hub = await FleetServer.start({ server: "hub-apiserver" });
  await installHubKinds(hub, ["APISchema", "APIResourceImport", "NegotiatedAPIResource"]);
  const schemas = new Schemas(hub.direct);
  const kind = { group: "example.com", version: "v1", resource: "widgets" };
  const clusters = {
    east: schemaWith({ color: { type: "string" }, size: { type: "integer", maximum: 5 } }),
    west: schemaWith({ size: { type: "integer" } }),
  };
  for (const [cluster, schema] of Object.entries(clusters))
    await hub.direct.create(IMPORTS, {
      metadata: { name: `${cluster}.${NAME}` },
      spec: {
        ...kind,
        cluster,
        names: { kind: "Widget", singular: "widget" },
        scope: "Namespaced",
        source: "CustomResourceDefinition",
        schemaHash: await schemas.put(schema),
      },
    } as unknown as ImportObject);
  await hub.direct.create(NEGOTIATED, {
    metadata: { name: NAME },
    spec: { ...kind, strategy: "Intersect", publish: false },
  } as unknown as NegotiatedObject);
});

afterAll(async () => {
  await hub.stop();
  await rm(folder, { recursive: true });
});

async function explained(...argv: string[]): Promise<string> {
  const printed: string[] = [];
  const spy = jest
    .spyOn(process.stdout, "write")
    .mockImplementation((text) => printed.push(String(text)) > 0);
  try {
    await explain([...argv, "--kubeconfig", hub.plane.kubeconfig], forever);
  } finally {
    spy.mockRestore();
  }
  return printed.join("");
}

test("every difference is named with what each cluster has, and a document that is refused", async () => {
  const text = await explained(NAME);
  expect(text).toMatch(/^widgets\.v1\.example\.com: 2 of 2 clusters fit \(Intersect\)\./);
  expect(text).toMatch(/^spec\.color +\S+: the hub does not have it$/m);
  expect(text).toMatch(/^spec\.size +\S+: the hub takes what all of them take$/m);
  const refused = /^ {2}west takes this, the hub refuses it: (.*)$/m.exec(text)?.[1];
  const document = JSON.parse(refused ?? "{}") as { spec?: { size?: number } };
  expect(document.spec?.size).toBeGreaterThan(5);
});

test("one field, or one cluster, is explained alone", async () => {
  const field = await explained(NAME, "--field", "spec.size");
  expect(field).toContain("spec.size");
  expect(field).not.toMatch(/^spec\.color/m);
  expect(await explained(NAME, "--cluster", "west")).not.toMatch(/^fits +east/m);
  await expect(explained(NAME, "--cluster", "north")).rejects.toThrow(
    /"north" has no .*use one of east, west/,
  );
});

test("of an object, each cluster says which of its fields it does not know", async () => {
  const file = path.join(folder, "widget.yaml");
  await writeFile(file, "apiVersion: example.com/v1\nkind: Widget\nspec: { color: red, size: 3 }\n");
  const text = await explained(NAME, "--file", file);
  expect(text).toBe("east: knows every field of it\nwest: does not know spec.color\n");
});

test("a kind that is not negotiated is refused with where to look", async () => {
  await expect(explained("gadgets.v1.example.com")).rejects.toThrow(
    /negotiates no "gadgets\.v1\.example\.com": take a name of kubectl get negotiatedapiresources/,
  );
  await expect(explained()).rejects.toThrow(/Found no name: name one kind/);
});
