/** Stops what {@link file://./setup.ts} started. */
export default async function teardown(): Promise<void> {
  await globalThis.fleetwrightControlPlane?.stop();
}
