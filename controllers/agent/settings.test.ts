import { helpText, readSettings } from "./settings";

const KNOWN = ["users", "upgrade", "facts"];
const env = { NODE_NAME: "n1", KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

test("in a pod nothing has to be said", () => {
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
  });
});

test("all that is wrong is told at once, with what was found and what is allowed", () => {
  const wrong = ["--on-shutdown=burn", "--host-root=host", "--controllers=user", "--node=A b"];
  expect(() => readSettings(wrong, {}, KNOWN)).toThrow(
    [
      "The agent cannot start:",
      '  --node is "A b": give the node\'s name, or set NODE_NAME',
      '  --server is "": give an https address, or set KUBERNETES_SERVICE_HOST',
      '  --host-root is "host": give a path from the root',
      '  --on-shutdown is "burn": give keep or lock',
      '  --controllers names "user": there are users, upgrade, facts',
    ].join("\n"),
  );
});

test("an address of IPv6 is written as such, and no metadata service is none", () => {
  const settings = readSettings(
    ["--metadata-url=none"],
    { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" },
    KNOWN,
  );
  expect(settings).toMatchObject({ server: "https://[fd00::1]:443", metadataUrl: "" });
});

test("the help names every flag and every controller", () => {
  const text = helpText([{ name: "users", describes: "accounts" }]);
  expect(text).toContain("--on-shutdown <what>");
  expect(text).toContain("users                      accounts");
});
