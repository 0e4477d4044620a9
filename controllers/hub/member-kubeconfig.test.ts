import { memberKubeconfig } from "./member-kubeconfig";

const DATA = Buffer.from("x").toString("base64");

const kubeconfig = (user: object, cluster: object = { "certificate-authority-data": DATA }): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "member",
    clusters: [{ name: "member", cluster: { server: "https://127.0.0.1:1", ...cluster } }],
    users: [{ name: "syncer", user }],
    contexts: [{ name: "member", context: { cluster: "member", user: "syncer" } }],
  });

test.each([
  ["a token", { token: "t" }],
  ["a certificate", { "client-certificate-data": DATA, "client-key-data": DATA }],
])("a kubeconfig with %s in it is taken", (_what, user) => {
  expect(memberKubeconfig(kubeconfig(user)).getCurrentCluster()?.server).toBe("https://127.0.0.1:1");
});

test.each([
  [
    "a token",
    kubeconfig({ "auth-provider": { name: "tokenFile", config: { tokenFile: "/etc/hostname" } } }),
    /names a file by tokenFile/,
  ],
  [
    "a certificate and a key",
    kubeconfig({ "client-certificate": "/etc/hostname", "client-key": "/etc/hostname" }),
    /by client-certificate, client-key/,
  ],
  [
    "an authority",
    kubeconfig({ token: "t" }, { "certificate-authority": "/etc/hostname" }),
    /by certificate-authority/,
  ],
  [
    "a program",
    kubeconfig({ exec: { apiVersion: "client.authentication.k8s.io/v1", command: "id" } }),
    /runs a program/,
  ],
  ["a provider", kubeconfig({ "auth-provider": { name: "oidc", config: {} } }), /runs a program/],
  ["no context", "{}", /current-context/],
])("one that takes %s from the hub's own machine, or says nothing, is refused", (_what, text, problem) => {
  expect(() => memberKubeconfig(text)).toThrow(problem);
});
