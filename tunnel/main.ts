// The process of a tunnel. It gets what it needs on its standard input, where nobody else reads it, says that it listens, and
// ends with the last engine that uses it.
import { text } from "node:stream/consumers";
import { errorCode, errorMessage } from "../lib/failure";
import { parseJson, textAt } from "../lib/json";
import { Engines } from "./engines";
import { parseSettings } from "./settings";
import { Tunnel } from "./tunnel";

async function main(): Promise<void> {
  const given = parseJson(await text(process.stdin));
  const engines = new Engines();
  const tunnel = new Tunnel(parseSettings(given), engines);
  await tunnel.listen();
  // Without an engine to watch it would stay for ever.
  if (!engines.watch(textAt(given, "engine") ?? "")) throw new Error("it was given no engine to be open for");
  process.stdout.write("ready\n");
  await engines.ended;
  await tunnel.close();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const isTaken = errorCode(error) === "EADDRINUSE";
    // The log, for when whoever started it does not listen any more.
    if (!isTaken) console.error(new Date().toISOString(), error);
    process.stdout.write(isTaken ? "taken\n" : `${errorMessage(error)}\n`, () => process.exit(1));
  },
);
