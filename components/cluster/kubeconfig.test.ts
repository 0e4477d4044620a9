import { load } from "js-yaml";
import { execFileSync } from "node:child_process";
import { endingCertificate, reachableKubeconfig } from "./kubeconfig";

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

it("says when the administrator's certificate ends, 90 days before", () => {
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const pem = execFileSync(
    "openssl",
    [...request, "-keyout", "/dev/null", "-subj", "/CN=admin", "-days", "365"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const text = `users: [{name: a, user: {client-certificate-data: ${Buffer.from(pem).toString("base64")}}}]`;
  const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
  expect(endingCertificate(text, "main", inDays(270))).toBeUndefined();
  expect(endingCertificate(text, "main", inDays(280))).toMatch(
    /^The administrator's certificate in the kubeconfig of main ends on 20\d\d-\d\d-\d\d\. RKE2 makes .*'\*\*::main-server-0-kubeconfig'/,
  );
  expect(endingCertificate(text, "main", inDays(370))).toContain("ended on");
  expect(endingCertificate(written, "main", inDays(0))).toBeUndefined();
  expect(endingCertificate("users: []", "main", inDays(0))).toBeUndefined();
});
