import { createSocket, type Socket } from "node:dgram";
import { type DecodedPacket, decode, encode, type Packet } from "dns-packet";

/** DNS names, in lowercase, with their addresses. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** Short, since the addresses of load balancers change. */
const TTL_SECONDS = 5;
const NAME_ERROR = 3;
const AUTHORITATIVE_ANSWER = 1 << 10;
const RECURSION_AVAILABLE = 1 << 7;

/**
 * Answers a DNS query. An unknown name gets NXDOMAIN: there is no upstream server, and an immediate answer keeps programs
 * from waiting for one.
 */
export function answerNames(query: DecodedPacket, names: Names): Packet {
  const question = query.questions?.[0];
  const name = question?.name.toLowerCase() ?? "";
  const addresses = names[name];
  const answers = question?.type === "A" ? (addresses ?? []) : [];
  return {
    type: "response",
    ...(query.id === undefined ? {} : { id: query.id }),
    flags:
      AUTHORITATIVE_ANSWER |
      RECURSION_AVAILABLE |
      ((query.flags ?? 0) & 0x0100) |
      (addresses === undefined ? NAME_ERROR : 0),
    questions: query.questions ?? [],
    answers: answers.map((data) => ({ type: "A", name: question?.name ?? "", ttl: TTL_SECONDS, data })),
  };
}

/** Serves DNS over UDP until the process ends. */
export async function serveNames(host: string, port: number, names: () => Names): Promise<Socket> {
  const socket = createSocket("udp4", (message, { address, port: sender }) => {
    let answer: Buffer;
    try {
      answer = encode(answerNames(decode(message), names()));
    } catch {
      // Packets that are not queries are ignored.
      return;
    }
    socket.send(answer, sender, address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, host, () => {
      socket.removeListener("error", reject);
      // One answer that cannot be sent must not end the service.
      socket.on("error", () => {});
      resolve();
    });
  });
  return socket;
}
