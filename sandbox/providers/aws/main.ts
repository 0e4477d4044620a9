import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Journal } from "./engine/journal";
import { AwsProvider } from "./provider";
import { service } from "./server";
import { readSettings } from "./settings";

// The SDK's notice about coming Node versions would stand in the output of every `pulumi up`.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

const UNLIMITED = -1;
let opened: AwsProvider | undefined;
let journal: Journal | undefined;

async function serve(): Promise<void> {
  const server = new grpc.Server({
    "grpc.max_receive_message_length": UNLIMITED,
    "grpc.max_send_message_length": UNLIMITED,
  });
  server.addService(
    ResourceProviderService,
    service(async (config) => {
      const settings = readSettings(config, process.env);
      if (config.profile !== undefined) {
        process.stderr.write(
          "The sandbox's aws provider does not use aws:profile; give accessKey and secretKey.\n",
        );
      }
      // The same URN may live in two clouds at once.
      const cloud = JSON.stringify([
        settings.endpoints,
        settings.credentials?.accessKeyId,
        process.env.AWS_ENDPOINT_URL,
      ]);
      const home = process.env.PULUMI_HOME ?? join(homedir(), ".pulumi");
      const digest = createHash("sha256").update(cloud).digest("hex").slice(0, 16);
      journal = new Journal(join(home, "fleetwright", "creations", digest));
      opened = new AwsProvider(settings, journal);
      await opened.checkAccount();
      return opened;
    }),
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  // The engine reads the first line as the port.
  process.stdout.write(`${port}\n`);
}

/** An orderly end: what the engine has been told of needs no note any more. */
function end(): void {
  void (opened?.close() ?? Promise.resolve()).finally(() => process.exit(0));
}

process.once("SIGTERM", end);
process.once("SIGINT", end);
// When the engine was killed, nobody would end this process. What AWS is making at this moment is noted first.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  journal?.keep();
  const late = new Promise((resolve) => setTimeout(resolve, 5_000));
  void Promise.race([late, opened?.idle()]).then(() => process.exit(1));
}, 200).unref();

serve().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
