import { load } from "js-yaml";
import { mergeKubeconfigs } from "./kubeconfig";

const file = (name: string, server: string): string => `apiVersion: v1
kind: Config
current-context: ${name}
clusters: [{ name: ${name}, cluster: { server: "${server}" } }]
users: [{ name: ${name}, user: { token: t } }]
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name} } }]
`;

test("the first file's context is meant, and the contexts of all can be named", () => {
  const merged = load(mergeKubeconfigs([file("dev", "https://one"), file("host", "https://two")]));
  expect(merged).toMatchObject({
    "current-context": "dev",
    clusters: [{ name: "dev", cluster: { server: "https://one" } }, { name: "host" }],
    contexts: [{ name: "dev" }, { name: "host" }],
  });
});

test("of two with the same name the first one counts", () => {
  const merged = load(mergeKubeconfigs([file("dev", "https://one"), file("dev", "https://two")]));
  expect(merged).toMatchObject({ clusters: [{ cluster: { server: "https://one" } }] });
  expect(merged).toHaveProperty("clusters.length", 1);
});
