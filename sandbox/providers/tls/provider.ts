import { text } from "../shell/kind";
import type { Provider } from "../shell/provider";
import { certRequest } from "./cert-request";
import { getPublicKey } from "./get-public-key";
import { locallySignedCert } from "./locally-signed-cert";
import { privateKey } from "./private-key";
import { selfSignedCert } from "./self-signed-cert";

/** The sandbox's `@pulumi/tls` provider. */
export function tlsProvider(version: string): Provider {
  return {
    name: "tls",
    version,
    settings: { proxy: { kind: text } },
    resources: {
      "tls:index/privateKey:PrivateKey": privateKey,
      "tls:index/selfSignedCert:SelfSignedCert": selfSignedCert,
      "tls:index/certRequest:CertRequest": certRequest,
      "tls:index/locallySignedCert:LocallySignedCert": locallySignedCert,
    },
    functions: { "tls:index/getPublicKey:getPublicKey": getPublicKey },
  };
}
