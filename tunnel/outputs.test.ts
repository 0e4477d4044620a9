import { tunnelOf } from "./outputs";

const outputs = {
  kubeconfig: "…",
  sshPrivateKey: "key",
  bastion: {
    identity: "acme/test/main",
    address: "203.0.113.9",
    hostKey: "ssh-ed25519 AAAA",
    user: "fw-tunnel",
    localPort: 23456,
    endpoint: "https://k8s.example.com:6443",
  },
};

test("a stack's outputs say where its tunnel leads", () => {
  expect(tunnelOf(outputs)).toEqual({
    identity: "acme/test/main",
    localPort: 23456,
    bastion: {
      host: "203.0.113.9",
      port: 22,
      user: "fw-tunnel",
      hostKey: "ssh-ed25519 AAAA",
      privateKey: "key",
    },
    target: { host: "k8s.example.com", port: 6443 },
  });
});

test("a stack without a bastion is named with what it has", () => {
  expect(() => tunnelOf({ kubeconfig: "…" })).toThrow(
    /no output bastion\.endpoint \(its outputs: kubeconfig\): there is a tunnel for clusters behind network\.bastion/,
  );
});
