import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { connect } from "node:net";
import type { HealthCheck } from "../spec";

/** Whether a target gets connections; one that is still "initial" gets none. */
export type Health = "initial" | "healthy" | "unhealthy";

/** Counts the results of a target's health checks: its state changes after as many equal results in a row as the threshold. */
export class HealthTally {
  state: Health = "initial";
  #streak = 0;
  #last: boolean | undefined;

  constructor(private readonly thresholds: Pick<HealthCheck, "healthyThreshold" | "unhealthyThreshold">) {}

  /** Records one result and returns whether the state changed. */
  record(success: boolean): boolean {
    this.#streak = success === this.#last ? this.#streak + 1 : 1;
    this.#last = success;
    const needed = success ? this.thresholds.healthyThreshold : this.thresholds.unhealthyThreshold;
    const next = success ? "healthy" : "unhealthy";
    if (this.state === next || this.#streak < needed) return false;
    this.state = next;
    return true;
  }
}

/** Checks a target once; `from` is the address that the target sees. */
export function checkTarget(
  check: HealthCheck,
  ip: string,
  targetPort: number,
  from?: string,
): Promise<boolean> {
  const port = check.port ?? targetPort;
  const local = from === undefined ? {} : { localAddress: from };
  const timeout = check.timeoutMs ?? Math.min(check.intervalMs, 10_000);
  return new Promise((resolve) => {
    if (check.protocol === "tcp") {
      const socket = connect({ host: ip, port, timeout, ...local });
      const finish = (success: boolean): void => {
        socket.destroy();
        resolve(success);
      };
      socket.once("connect", () => finish(true));
      socket.once("timeout", () => finish(false));
      socket.once("error", () => finish(false));
      return;
    }
    const send = check.protocol === "http" ? plainRequest : secureRequest;
    // Like AWS's load balancers, without verifying the target's certificate.
    const options = {
      host: ip,
      port,
      path: check.path ?? "/",
      timeout,
      agent: false,
      ...local,
      rejectUnauthorized: false,
    };
    const outgoing = send(options, (incoming) => {
      incoming.destroy();
      const status = incoming.statusCode ?? 0;
      resolve(status >= 200 && status < 400);
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error("timeout")));
    outgoing.once("error", () => resolve(false));
    outgoing.end();
  });
}
