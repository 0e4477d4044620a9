import { booted, describeMachines, testMachineHost } from "./testing/machine-host";
import { machineSpecFixture } from "./testing/machine-spec";

const BASE = "http://169.254.169.254/latest";
const TOKEN = `curl -sf -m 2 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' ${BASE}/api/token`;

describeMachines("the metadata service in a machine", () => {
  const machineHost = testMachineHost();
  const id = "i-0a1";
  const sh = (script: string): Promise<string> => machineHost.inside(id).run(["sh", "-euc", script]);
  const get = (path: string): Promise<string> =>
    sh(`curl -sf -H "X-aws-ec2-metadata-token: $(${TOKEN})" '${BASE}/${path}'`);

  beforeAll(async () => {
    await machineHost.open();
    const role = {
      name: "node",
      credentials: {
        accessKeyId: "AKIDEXAMPLE",
        secretAccessKey: "secret",
        sessionToken: "session",
        expiration: "2030-01-01T00:00:00Z",
      },
    };
    const metadata = { tokensRequired: true, hopLimit: 1, tagsEnabled: true };
    const authorizedKeys = ["ssh-ed25519 AAAAC3Nz me"];
    await machineHost.launch(
      machineSpecFixture({ role, metadata, authorizedKeys, tags: { Name: "one" }, userData: "#!/bin/sh\n" }),
    );
    await booted(machineHost, id);
  }, 600_000);
  afterAll(() => machineHost.destroy());

  test("answers with a token and refuses without", async () => {
    const status = `curl -s -m 2 -o /dev/null -w '%{http_code}' ${BASE}/meta-data/instance-id`;
    expect(await sh(status)).toBe("401");
    expect(await get("meta-data/instance-id")).toBe(id);
    await machineHost.update(id, { metadata: { tokensRequired: false, hopLimit: 1, tagsEnabled: true } });
    expect(await sh(status)).toBe("200");
    await machineHost.update(id, { metadata: { tokensRequired: true, hopLimit: 1, tagsEnabled: true } });
  });

  test("knows the machine", async () => {
    expect(await get("meta-data/local-ipv4")).toBe("10.0.1.10");
    expect(await get("meta-data/placement/availability-zone")).toBe("eu-central-1a");
    expect(await get("meta-data/mac")).toBe((await sh("cat /sys/class/net/eth0/address")).trim());
    expect(await get("meta-data/public-keys/0/openssh-key")).toBe("ssh-ed25519 AAAAC3Nz me\n");
    expect(await get("meta-data/tags/instance/Name")).toBe("one");
    expect(await get("user-data")).toBe("#!/bin/sh\n");
    expect(JSON.parse(await get("dynamic/instance-identity/document"))).toMatchObject({ instanceId: id });
    expect(JSON.parse(await get("meta-data/iam/security-credentials/node"))).toMatchObject({
      AccessKeyId: "AKIDEXAMPLE",
      Code: "Success",
    });
  });

  test("gives no token to what is a hop further away than the limit, as a pod is", async () => {
    await sh(`ip netns add pod
ip link add pod0 type veth peer name eth0 netns pod
ip addr add 172.30.0.1/24 dev pod0 && ip link set pod0 up
ip -n pod addr add 172.30.0.2/24 dev eth0 && ip -n pod link set eth0 up && ip -n pod route add default via 172.30.0.1
echo 1 >/proc/sys/net/ipv4/ip_forward
nft 'table ip t { chain c { type nat hook postrouting priority srcnat; ip saddr 172.30.0.0/24 masquerade; }; }'`);
    const ask = ["ip", "netns", "exec", "pod", "sh", "-c", TOKEN];
    expect((await machineHost.inside(id).attempt(ask)).code).toBe(28);
    await machineHost.update(id, { metadata: { tokensRequired: true, hopLimit: 2, tagsEnabled: true } });
    expect((await machineHost.inside(id).run(ask)).length).toBeGreaterThan(40);
  });
});
