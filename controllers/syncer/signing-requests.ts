// The requests for certificates as the API server has them.
import type { KubernetesObject, Resource } from "../runtime";

/** A CertificateSigningRequest, as far as it is looked at. */
export interface SigningRequest extends KubernetesObject {
  spec: {
    request: string;
    signerName: string;
    usages?: string[];
    expirationSeconds?: number;
    username?: string;
    extra?: Record<string, string[]>;
  };
  status?: {
    certificate?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

/** CertificateSigningRequests. */
export const SIGNING_REQUESTS: Resource<SigningRequest> = {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  namespaced: false,
};
