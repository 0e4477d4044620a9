import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { EngineLogs } from "./engine-log";
import { Operations } from "./operations";
import type { Provider } from "./provider";
import { providerService } from "./service";

const MESSAGE_LIMIT = 400 * 1024 * 1024;
const PARENT_CHECK_MS = 200;
const GRACE_MS = 4000;

/** Serves a provider to the engine that started this process, until the engine ends it or is gone. */
export async function serve(
  provider: Provider,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const operations = new Operations();
  const server = new Server({
    "grpc.max_receive_message_length": MESSAGE_LIMIT,
    "grpc.max_send_message_length": MESSAGE_LIMIT,
  });
  const logs = new EngineLogs(engineAddress(args));
  server.addService(ResourceProviderService, providerService(provider, operations, logs));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  process.stdout.write(`${port}\n`);

  let leaving = false;
  const leave = (why: string, gone = false): void => {
    if (leaving) return;
    leaving = true;
    if (gone) provider.engineGone?.();
    operations.cancel(why);
    setTimeout(() => process.exit(1), GRACE_MS);
    void operations
      .settled()
      .then(() => provider.close?.())
      .finally(() => process.exit(0));
  };
  process.on("SIGINT", () => leave("the provider was interrupted"));
  process.on("SIGTERM", () => leave("the provider was terminated"));
  // An engine that was killed cannot end its plugins, nor the commands that they run.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) leave("the engine is gone", true);
  }, PARENT_CHECK_MS).unref();
}

/** The engine's address among the arguments it gives to plugins: the first one that is not a flag. */
export function engineAddress(args: readonly string[]): string | undefined {
  const positional = args.filter((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--tracing");
  return positional[0];
}
