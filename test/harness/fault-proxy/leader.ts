// A process that campaigns for a lease and, while it leads, writes its name as fast as it can. SIGUSR2 freezes it between two
// writes: a write that is on its way when a process freezes is one that no guard of its own can take back.
import {
  ApiClient,
  kubeconfigCredentials,
  LeaderElection,
  sleep,
  systemClock,
} from "../../../controllers/runtime";
import { CONFIG_MAPS } from "./fixture";

const [kubeconfig = "", namespace = "", identity = ""] = process.argv.slice(2);

/** Short times, so that a test need not wait. */
const election = new LeaderElection(new ApiClient(kubeconfigCredentials(kubeconfig)), {
  namespace,
  name: "leader",
  identity,
  leaseMs: 3000,
  renewDeadlineMs: 2000,
  retryMs: 300,
});
const client = new ApiClient(kubeconfigCredentials(kubeconfig), { rateLimit: false }).guardedBy(() =>
  election.assertLeading(),
);

let isToFreeze = false;
process.on("SIGUSR2", () => (isToFreeze = true));

void election.run(new AbortController().signal, async (signal) => {
  process.stdout.write("leading\n");
  // Deliberately deaf to the signal until a write is refused: only the guard stands between it and the server.
  for (;;) {
    try {
      await client.patch(CONFIG_MAPS, { namespace, name: "written" }, { data: { writer: identity } });
    } catch (error) {
      process.stdout.write(`refused ${error instanceof Error ? error.name : ""}\n`);
      if (error instanceof Error && error.name === "NotLeaderError") break;
    }
    if (isToFreeze) {
      isToFreeze = false;
      process.kill(process.pid, "SIGSTOP");
    }
    await sleep(systemClock, 5, signal);
  }
});
