import { helpText, readSettings } from "./settings";

const KNOWN = ["users", "upgrade", "facts"];
const env = { NODE_NAME: "n1", KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

test("in a pod every flag has a working default", () => {
  expect(readSettings([], env, KNOWN)).toMatchObject({
    server: "https://10.96.0.1:443",
    credentials: "/var/run/secrets/kubernetes.io/serviceaccount",
    nodeName: "n1",
    hostRoot: "/host",
    homesFolder: "/home",
    endSessions: true,
    onShutdown: "keep",
    controllers: KNOWN,
    port: 9808,
    tls: undefined,
  });
});

test("all invalid flags are reported at once, with the value found and the fix", () => {
  const wrong = ["--on-shutdown=burn", "--host-root=host", "--controllers=user", "--node=A b"];
  expect(() => readSettings(wrong, {}, KNOWN)).toThrow(
    [
      "The agent cannot start:",
      '  --node is "A b": give the node\'s name, or set NODE_NAME',
      '  --server is "": give an https address, or set KUBERNETES_SERVICE_HOST',
      '  --host-root is "host": use an absolute path',
      '  --on-shutdown is "burn": give keep or lock',
      '  --controllers names "user": there are users, upgrade, facts',
    ].join("\n"),
  );
});

test('an IPv6 address is put in brackets, and "none" turns the metadata service off', () => {
  const settings = readSettings(
    ["--metadata-url=none"],
    { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" },
    KNOWN,
  );
  expect(settings).toMatchObject({ server: "https://[fd00::1]:443", metadataUrl: "" });
});

test("the help names every flag and every controller", () => {
  const text = helpText([{ name: "users", description: "accounts" }]);
  expect(text).toContain("--on-shutdown <action>");
  expect(text).toContain("users                      accounts");
});
