import { startControlPlane, type ControlPlane } from "../sandbox/controlplane";

declare global {
  // Jest hands nothing from setup to teardown but what stands here.
  var fleetwrightControlPlane: ControlPlane | undefined;
}

/** Starts the control plane that all tests of a run share; it ends with the run, even if the run is killed. */
export default async function setup(): Promise<void> {
  if (process.env.FLEETWRIGHT_TEST_CONTROLPLANE === "off") return;
  const plane = await startControlPlane({ nodes: 3 });
  globalThis.fleetwrightControlPlane = plane;
  process.env.FLEETWRIGHT_TEST_KUBECONFIG = plane.kubeconfig;
}
