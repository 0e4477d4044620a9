import { credentials, type Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Operations } from "../shell/operations";
import type { Provider } from "../shell/provider";
import { providerService } from "../shell/service";
import { receive, type Received } from "../shell/wire";

type Callback<Response> = (error: Error | null, response: Response) => void;

/** For tests: a provider behind the real gRPC protocol, called as the engine does, with the lines that it logs. */
export class ProviderClient {
  private constructor(
    private readonly server: Server,
    private readonly client: ResourceProviderClient,
    /** Every log line, of any severity. */
    readonly lines: readonly string[],
  ) {}

  static async open(provider: Provider): Promise<ProviderClient> {
    const lines: string[] = [];
    const note = (message: string): unknown => lines.push(message);
    const log = { status: note, info: note, warning: note, error: note };
    const server = new Server();
    server.addService(
      ResourceProviderService,
      providerService(provider, new Operations(), { about: () => log, attach: () => {} }),
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    return new ProviderClient(server, client, lines);
  }

  /** Calls one method of the protocol. */
  ask<Response>(
    call: (client: ResourceProviderClient, done: Callback<Response>) => unknown,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      call(this.client, (error, response) => (error === null ? resolve(response) : reject(error)));
    });
  }

  /** What an error says of a resource that exists but is not finished. */
  unfinished(error: unknown): { id: string; state: Received } | undefined {
    const metadata = (error as { metadata?: Metadata }).metadata;
    const [bytes] = metadata?.get("grpc-status-details-bin") ?? [];
    if (!(bytes instanceof Uint8Array)) return undefined;
    const [detail] = Status.deserializeBinary(bytes).getDetailsList();
    if (detail === undefined) return undefined;
    const found = proto.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
    return { id: found.getId(), state: receive(found.getProperties()?.toJavaScript() ?? {}) };
  }

  close(): Promise<void> {
    this.client.close();
    this.server.forceShutdown();
    return Promise.resolve();
  }
}
