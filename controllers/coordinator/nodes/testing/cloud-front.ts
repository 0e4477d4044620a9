// Stands before the sandbox's AWS API: remembers what was asked, and answers otherwise, or later, where a test says so.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What goes wrong with one question; undefined for nothing. */
export type Trouble = (query: URLSearchParams) => Promise<string | undefined> | undefined;

/** An answer of EC2 that knows no instance. */
export const NO_INSTANCES =
  '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet/></DescribeInstancesResponse>';

/** A front before the sandbox's AWS API. */
export class CloudFront {
  /** May be changed at any time. */
  trouble: Trouble | undefined;
  readonly asked: URLSearchParams[] = [];
  readonly #server: http.Server;

  private constructor(behind: string) {
    this.#server = http.createServer((request, response) => {
      void (async () => {
        const body = await text(request);
        const query = new URLSearchParams(body);
        this.asked.push(query);
        const otherwise = await this.trouble?.(query);
        if (otherwise !== undefined) {
          response.end(otherwise);
          return;
        }
        const headers = Object.fromEntries(
          Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value !== "string" || ["host", "connection", "content-length"].includes(name)
              ? []
              : [[name, value]],
          ),
        );
        const answer = await fetch(behind, { method: "POST", headers, body });
        response.writeHead(answer.status).end(await answer.text());
      })().catch(() => response.destroy());
    });
  }

  static async start(behind: string): Promise<CloudFront> {
    const front = new CloudFront(behind);
    await new Promise<void>((resolve) => front.#server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Questions about many at once, and about one by its id. */
  questions(): { list: number; single: number } {
    const single = this.asked.filter((query) => query.has("InstanceId.1")).length;
    return { list: this.asked.length - single, single };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
