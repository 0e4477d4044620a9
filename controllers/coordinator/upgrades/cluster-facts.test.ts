import { oldComponents } from "./cluster-facts";
import type { Pod } from "./drain";

const component = (name: string, image: string, labels = { tier: "control-plane" }): Pod => ({
  metadata: { namespace: "kube-system", name, labels },
  spec: { containers: [{ name: "c", image }] },
});

test.each<[string, Pod, boolean]>([
  [
    "at the version",
    component("kube-apiserver-a", "example.com/kubernetes:v1.35.4-rke2r1-build20260101"),
    false,
  ],
  ["exactly at the version", component("kube-apiserver-a", "example.com/kubernetes:v1.35.4-rke2r1"), false],
  ["at the version by tag and digest", component("kube-apiserver-a", "x:v1.35.4-rke2r1@sha256:00"), false],
  ["at the version before", component("kube-scheduler-a", "example.com/kubernetes:v1.34.1-rke2r1"), true],
  ["at a later build", component("kube-scheduler-a", "example.com/kubernetes:v1.35.4-rke2r10"), true],
  ["without a tag", component("kube-controller-manager-a", "example.com/kubernetes"), true],
  ["something else", component("etcd-a", "example.com/etcd:v3.6.5"), false],
  ["not of the control plane", component("kube-proxy-a", "example.com/x:v1.34.1", { tier: "node" }), false],
])("a component that is %s is old: %#", (_what, pod, old) => {
  expect(oldComponents([pod], "v1.35.4+rke2r1")).toEqual(old ? [pod.metadata.name] : []);
});
