import { createSocket, type Socket } from "node:dgram";
import { type DecodedPacket, decode, encode, type Packet } from "dns-packet";

/** Names and the addresses that they stand for; names are in small letters. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** As short as a load balancer's: its addresses may change. */
const TTL_SECONDS = 5;
const NAME_ERROR = 3;
const AUTHORITATIVE_ANSWER = 1 << 10;
const RECURSION_AVAILABLE = 1 << 7;

/**
 * Answers a question about a name. A name that is not known does not exist: there is no other server to ask, and an
 * answer at once keeps programs from waiting for one.
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

/** Serves names over UDP until the process ends. */
export async function serveNames(host: string, port: number, names: () => Names): Promise<Socket> {
  const socket = createSocket("udp4", (message, { address, port: sender }) => {
    let answer: Buffer;
    try {
      answer = encode(answerNames(decode(message), names()));
    } catch {
      // Whoever sends something that is no question gets no answer.
      return;
    }
    socket.send(answer, sender, address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, host, () => {
      socket.removeListener("error", reject);
      // One packet that cannot be sent back must not end the service of all.
      socket.on("error", () => {});
      resolve();
    });
  });
  return socket;
}
