// Starts a control plane with the options of its argument and says where it is. A detached one is left alone;
// with any other this process waits to be killed.
import { startControlPlane, type ControlPlaneOptions } from "..";

const options = JSON.parse(process.argv[2] ?? "{}") as ControlPlaneOptions;

startControlPlane(options).then(
  ({ dir }) => {
    process.stdout.write(`${JSON.stringify({ dir })}\n`);
    if (options.lifetime !== "detached") setInterval(() => {}, 1000);
  },
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
