import { ensureMoto } from "../../sandbox/aws";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { ensureImage, MachineHost } from "../../sandbox/machines";
import { streamProgress } from "../../lib/progress";
import { ensureCheckov } from "./checkov/checkov";

declare global {
  // Jest hands nothing from setup to teardown but what stands here.
  var fleetwrightControlPlane: ControlPlane | undefined;
}

/** Starts the control plane that all tests of a run share; it ends with the run, even if the run is killed. */
export default async function setup(): Promise<void> {
  if (process.env.FLEETWRIGHT_TEST_CONTROLPLANE === "off") return;
  const progress = streamProgress(process.stderr);
  // What is made once and kept in the cache is made here, where it can be seen and no test's time runs out.
  await ensureMoto({ progress });
  await ensureCheckov({ progress });
  if (MachineHost.available().ok) await ensureImage(progress);
  const plane = await startControlPlane({ nodes: 3 });
  globalThis.fleetwrightControlPlane = plane;
  process.env.FLEETWRIGHT_TEST_KUBECONFIG = plane.kubeconfig;
}
