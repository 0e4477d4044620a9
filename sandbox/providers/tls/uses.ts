/** The bits of the key usage extension, by the names that the SDK uses (RFC 5280, 4.2.1.3). */
export const KEY_USES: Readonly<Record<string, number>> = {
  digital_signature: 1,
  content_commitment: 2,
  key_encipherment: 4,
  data_encipherment: 8,
  key_agreement: 16,
  cert_signing: 32,
  crl_signing: 64,
  encipher_only: 128,
  decipher_only: 256,
};

/** The object identifiers of extended key usages, by the names that the SDK uses (RFC 5280, 4.2.1.12). */
export const EXTENDED_USES: Readonly<Record<string, string>> = {
  any_extended: "2.5.29.37.0",
  server_auth: "1.3.6.1.5.5.7.3.1",
  client_auth: "1.3.6.1.5.5.7.3.2",
  code_signing: "1.3.6.1.5.5.7.3.3",
  email_protection: "1.3.6.1.5.5.7.3.4",
  ipsec_end_system: "1.3.6.1.5.5.7.3.5",
  ipsec_tunnel: "1.3.6.1.5.5.7.3.6",
  ipsec_user: "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  ocsp_signing: "1.3.6.1.5.5.7.3.9",
  microsoft_server_gated_crypto: "1.3.6.1.4.1.311.10.3.3",
  netscape_server_gated_crypto: "2.16.840.1.113730.4.1",
  microsoft_commercial_code_signing: "1.3.6.1.4.1.311.2.1.22",
  microsoft_kernel_code_signing: "1.3.6.1.4.1.311.61.1.1",
};

/** All names of uses. */
export const USES: readonly string[] = [...Object.keys(KEY_USES), ...Object.keys(EXTENDED_USES)].sort();

/** Sorts names of uses into the bits of one extension and the identifiers of the other. */
export function sortUses(uses: readonly string[]): { bits: number; extended: string[] } {
  return {
    bits: uses.reduce((bits, use) => bits | (KEY_USES[use] ?? 0), 0),
    extended: uses.flatMap((use) => EXTENDED_USES[use] ?? []),
  };
}
