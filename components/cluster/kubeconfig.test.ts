import { load } from "js-yaml";
import { reachableKubeconfig } from "./kubeconfig";

const written = `apiVersion: v1
clusters:
- cluster: {certificate-authority-data: Q0E=, server: "https://127.0.0.1:6443"}
  name: default
contexts:
- context: {cluster: default, user: default}
  name: default
current-context: default
kind: Config
preferences: {}
users:
- name: default
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}
`;

it("gives the load balancer's address and the cluster's name, and keeps the rest", () => {
  expect(load(reachableKubeconfig(written, "main", "https://lb.example:6443"))).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "main", cluster: { "certificate-authority-data": "Q0E=", server: "https://lb.example:6443" } },
    ],
    users: [
      { name: "main-admin", user: { "client-certificate-data": "Y2VydA==", "client-key-data": "a2V5" } },
    ],
    contexts: [{ name: "main", context: { cluster: "main", user: "main-admin" } }],
    "current-context": "main",
  });
});

it.each(["", "just text", "clusters: []"])("refuses %p without repeating it", (text) => {
  expect(() => reachableKubeconfig(text, "main", "https://lb:6443")).toThrow(
    "has no cluster or no user in it",
  );
});
