import { documentsIn, manifestsIn, unfolded } from "./manifest";
import { inOrder, rankOf } from "./install-order";

const parse = (text: string): unknown => manifestsIn(unfolded(documentsIn(text, "x"), "x"), "x");
const HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

test("documents, lists and empty documents become objects, without what the server sets", () => {
  const list = {
    apiVersion: "v1",
    kind: "List",
    items: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "b" } }],
  };
  const text = `---\n${HEAD}  creationTimestamp: null\n  uid: x\nstatus: {}\ndata: { day: 2030-01-01, on: "off" }\n---\n---\n${JSON.stringify(list)}\n`;
  expect(parse(text)).toEqual([
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { day: "2030-01-01", on: "off" } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "b" } },
  ]);
});

test.each([
  ["no YAML", "a: [", "x is not YAML"],
  ["no object", "just text", "document 1 is no object"],
  ["no kind", "apiVersion: v1\nmetadata: { name: a }", "document 1 has no valid kind"],
  ["no name", "apiVersion: v1\nkind: Pod", "document 1 (Pod) has no valid metadata.name"],
  ["a name that is a path", HEAD.replace("a\n", "../b\n"), "no valid metadata.name"],
  ["a made-up name", `${HEAD}  generateName: b-`, "metadata.generateName, which is not for manifests"],
  ["an owner", `${HEAD}  ownerReferences: [{}]`, "metadata.ownerReferences, which is not for manifests"],
  ["a label that is a number", `${HEAD}  labels: { a: 1 }`, "metadata.labels that are not all texts"],
  ["a prototype", `${HEAD}__proto__: {}`, "__proto__"],
  ["a tag of a language", `${HEAD}data: !!js/function 'x'`, "x is not YAML"],
])("%s is refused", (_what, text, says) => {
  expect(() => parse(text)).toThrow(says);
});

test("aliases that unfold to very much are refused before they fill the memory", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 10; level++)
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(", ")}]`,
    );
  expect(() => parse(`${HEAD}data:\n  ${lines.join("\n  ")}`)).toThrow(/unfolds to more than/);
});

test("objects come in an order in which each finds what it needs", () => {
  const kinds = [
    ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
    ["example.com/v1", "Custom"],
    ["apps/v1", "Deployment"],
    ["v1", "Service"],
    ["v1", "ConfigMap"],
    ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    ["rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["v1", "ServiceAccount"],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    ["v1", "Namespace"],
  ].map(([apiVersion = "", kind = ""]) => ({ apiVersion, kind }));
  expect(inOrder(kinds).flat()).toEqual([...kinds].reverse());
  // A kind of another group is not taken for the one of the same name.
  expect(rankOf({ apiVersion: "serving.knative.dev/v1", kind: "Service" })).toBe(
    rankOf({ apiVersion: "example.com/v1", kind: "Custom" }),
  );
});
