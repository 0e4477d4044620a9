import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Log } from "./context";
import type { Logs } from "./service";

/** Logs that the engine shows beside the resource they are about. */
export class EngineLogs implements Logs {
  private client: EngineClient | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(engineAddress: string | undefined) {
    if (engineAddress !== undefined) this.attach(engineAddress);
  }

  attach(engineAddress: string): void {
    if (engineAddress !== "") this.client = new EngineClient(engineAddress, credentials.createInsecure());
  }

  about(urn: string): Log {
    // While one message is on its way, lines of progress gather and go together: a chatty command must not be slowed.
    let waiting: string[] = [];
    const flush = (): void => {
      if (waiting.length === 0) return;
      const lines = waiting;
      waiting = [];
      this.enqueue(urn, lines.join("\n"), LogSeverity.INFO, true);
    };
    const say = (message: string, severity: Severity): void => {
      flush();
      this.enqueue(urn, message, severity, false);
    };
    return {
      status: (message) => {
        waiting.push(message);
        if (waiting.length === 1) void this.last.then(flush);
      },
      info: (message) => say(message, LogSeverity.INFO),
      warning: (message) => say(message, LogSeverity.WARNING),
      error: (message) => say(message, LogSeverity.ERROR),
    };
  }

  private enqueue(urn: string, message: string, severity: Severity, ephemeral: boolean): void {
    const request = new LogRequest()
      .setUrn(urn)
      .setMessage(message)
      .setSeverity(severity)
      .setEphemeral(ephemeral);
    this.last = this.last.then(
      () =>
        new Promise((resolve) => {
          // An engine that does not take a log line is no reason to fail the work it is about.
          if (this.client === undefined) resolve();
          else this.client.log(request, () => resolve());
        }),
    );
  }
}

type Severity = LogSeverity;
