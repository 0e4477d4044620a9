import type { ServerResponse } from "node:http";

/** Answers an error in a registry's words. */
export function refuse(outgoing: ServerResponse, status: number, code: string, message: string): void {
  outgoing
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ errors: [{ code, message }] }));
}
