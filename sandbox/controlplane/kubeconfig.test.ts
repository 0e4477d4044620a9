import { KubeConfig } from "@kubernetes/client-node";
import { renderKubeconfig } from "./kubeconfig";

test.each(["fleetwright-sandbox", "yes", "1234", 'quote " and: colon'])(
  "a client reads a kubeconfig named %p",
  (name) => {
    const config = new KubeConfig();
    config.loadFromString(
      renderKubeconfig({
        name,
        user: `${name}-admin`,
        endpoint: "https://127.0.0.1:12345",
        authority: "the authority",
        client: { certificate: "the certificate", key: "the key" },
      }),
    );
    const decode = (text: string | undefined) => Buffer.from(text ?? "", "base64").toString();
    expect(config.getCurrentContext()).toBe(name);
    expect(config.getCurrentCluster()).toMatchObject({
      name,
      server: "https://127.0.0.1:12345",
      skipTLSVerify: false,
    });
    expect(decode(config.getCurrentCluster()?.caData)).toBe("the authority");
    expect(config.getCurrentUser()?.name).toBe(`${name}-admin`);
    expect(decode(config.getCurrentUser()?.certData)).toBe("the certificate");
    expect(decode(config.getCurrentUser()?.keyData)).toBe("the key");
  },
);
