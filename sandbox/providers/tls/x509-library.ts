import { webcrypto } from "node:crypto";

/** Loads the X.509 library when it is first needed: half of the provider's start would be spent on it. */
export async function x509Library() {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  x509.cryptoProvider.set(webcrypto);
  return x509;
}
