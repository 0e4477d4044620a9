// Which TCP ports of an address answer, asked from a network namespace of the sandbox.
import { run } from "../../sandbox/machines/command";

/** How many ports are asked at the same time, and how long each may be silent: a closed one of AWS says nothing. */
const AT_ONCE = 4_000;
const SILENCE_MS = 2_500;

// Node itself raises the limit of open files.
const PROGRAM = `const net = require("node:net");
const [host] = process.argv.slice(1);
const open = [];
let next = 1;
let left = 65535;
function ask() {
  if (next > 65535) return;
  const port = next++;
  const socket = net.connect({ host, port });
  const timer = setTimeout(() => end(false), ${SILENCE_MS});
  let isOver = false;
  function end(answers) {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    socket.destroy();
    if (answers) open.push(port);
    if (--left === 0) console.log(JSON.stringify(open.sort((a, b) => a - b)));
    ask();
  }
  socket.once("connect", () => end(true));
  socket.on("error", () => end(false));
}
for (let i = 0; i < ${AT_ONCE}; i++) ask();
`;

/** Every TCP port of an address to which a connection is made. `inside` is the command that runs another one where one asks from. */
export async function openPorts(
  inside: (argv: readonly string[]) => string[],
  address: string,
): Promise<number[]> {
  const printed: unknown = JSON.parse(await run(inside([process.execPath, "-e", PROGRAM, address])));
  return Array.isArray(printed) ? printed.map(Number) : [];
}
