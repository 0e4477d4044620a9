import { load } from "js-yaml";
import { isComplete, makeShared } from "./authorities";
import { apiServerArguments, etcdConfig, withExtra } from "./component-arguments";
import { kubeconfigText } from "./kubeconfig";
import { layoutOf } from "./layout";
import { settingsOf } from "./settings";
import { expired, expiredInBucket, snapshotName, snapshotTable } from "./snapshots";

const FACTS = { hostname: "server-0", address: "10.0.1.10" };
const layout = layoutOf("/data/rke2");

test("a user's arguments go over ours, the last one counts", () => {
  expect(
    withExtra({ profiling: false, "audit-log-maxage": 30 }, [
      "audit-log-maxage=7",
      "audit-log-maxage=8",
      "v=2",
    ]),
  ).toEqual(["--profiling=false", "--audit-log-maxage=8", "--v=2"]);
});

test("the API server knows nobody without credentials and encrypts secrets", () => {
  const args = apiServerArguments(settingsOf("server", {}, FACTS), layout, {});
  expect(args).toContain("--anonymous-auth=false");
  expect(args).toContain("--encryption-provider-config=/data/rke2/server/cred/encryption-config.json");
  expect(args.join(" ")).not.toContain("audit");
  expect(apiServerArguments(settingsOf("server", {}, FACTS), layout, { auditPolicy: "/a.yaml" })).toEqual(
    expect.arrayContaining([
      "--audit-policy-file=/a.yaml",
      "--audit-log-path=/data/rke2/server/logs/audit.log",
    ]),
  );
});

test("etcd listens for its peers at the node's address and takes a user's settings", () => {
  const settings = settingsOf(
    "server",
    { "etcd-arg": ["quota-backend-bytes=1000", "pre-vote=false"] },
    FACTS,
  );
  expect(etcdConfig(settings, layout, { name: "server-0-1", cluster: "x", state: "new" })).toMatchObject({
    name: "server-0-1",
    "data-dir": "/data/rke2/server/db/etcd",
    "initial-advertise-peer-urls": "https://10.0.1.10:2380",
    "listen-metrics-urls": "http://127.0.0.1:2381",
    "quota-backend-bytes": 1000,
    "pre-vote": false,
    "heartbeat-interval": 500,
  });
  const exposed = settingsOf("server", { "etcd-expose-metrics": true }, FACTS);
  expect(etcdConfig(exposed, layout, { name: "a" })["listen-metrics-urls"]).toContain(
    "http://10.0.1.10:2381",
  );
});

test("what servers share is made once, and what lies there beforehand is kept", async () => {
  const shared = await makeShared({ "tls/server-ca.crt": "mine", "tls/server-ca.key": "mine" }, "aescbc");
  expect(isComplete(shared)).toBe(true);
  expect(shared["tls/server-ca.crt"]).toBe("mine");
  expect(await makeShared(shared, "aescbc")).toEqual(shared);
});

test("the kubeconfig names the local API server, as RKE2's does", () => {
  const text = kubeconfigText("https://127.0.0.1:6443", "ca", { certificate: "crt", key: "key" });
  expect(load(text)).toMatchObject({
    clusters: [
      {
        name: "default",
        cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": "Y2E=" },
      },
    ],
    "current-context": "default",
  });
});

test("only the oldest snapshots of the same series and node go", () => {
  const names = ["s-n-100", "s-n-300", "s-n-200", "s-m-1", "on-demand-n-1", "s-n-x"];
  expect(expired(names, "s", "n", 2)).toEqual(["s-n-100"]);
  expect(expired(names, "s", "n", 0)).toEqual([]);
  expect(snapshotName("s", "n", new Date(100_500))).toBe("s-n-100");
});

test("snapshots are listed in columns", () => {
  const snapshot = { name: "s-n-100", location: "file:///x", size: 5, created: new Date(0) };
  expect(snapshotTable([snapshot])).toBe(
    "Name    Location  Size Created\ns-n-100 file:///x 5    1970-01-01T00:00:00.000Z\n",
  );
});

test("a bucket keeps the newest of a name, whichever of the servers took them, as k3s prunes it", () => {
  const stored = ["s-one-1", "s-two-2", "s-three-3", "s-one-4", "s-two-5", "s-three-6", "other-one-0"].map(
    (name, second) => ({ name, modified: new Date(second * 1000) }),
  );
  expect(expiredInBucket(stored, "s", 5)).toEqual(["s-one-1"]);
  expect(expiredInBucket(stored, "s", 2)).toEqual(["s-one-4", "s-three-3", "s-two-2", "s-one-1"]);
  expect(expiredInBucket(stored, "s", 0)).toEqual([]);
});
