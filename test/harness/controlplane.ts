/** The kubeconfig of the control plane that the tests of a run share. Its context is `fleetwright-sandbox`. */
export function sharedKubeconfig(): string {
  const kubeconfig = process.env.FLEETWRIGHT_TEST_KUBECONFIG;
  if (kubeconfig === undefined) {
    throw new Error(
      "This test needs the shared control plane, but none was started: unset FLEETWRIGHT_TEST_CONTROLPLANE and run it by jest with the project's configuration.",
    );
  }
  return kubeconfig;
}
