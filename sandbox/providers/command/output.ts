import { StringDecoder } from "node:string_decoder";

/** Which streams of a command are shown while it runs. */
export type Logging = "stdout" | "stderr" | "stdoutAndStderr" | "none";
export const LOGGING: readonly Logging[] = ["stdout", "stderr", "stdoutAndStderr", "none"];

/** The names of a command's streams. */
export type Stream = "stdout" | "stderr";

const TAIL_LINES = 20;
const TAIL_LENGTH = 4000;
const COMMAND_LENGTH = 200;

/** Whether a stream is to be shown. */
export function shows(logging: string | undefined, stream: Stream): boolean {
  return logging === undefined || logging === "stdoutAndStderr" || logging === stream;
}

/** Gathers what a command says, and shows it line by line as far as it is to be shown. */
export class Output {
  private readonly texts = { stdout: "", stderr: "" };
  private readonly decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  private readonly rests = { stdout: "", stderr: "" };
  private shown = "";

  constructor(
    private readonly logging: string | undefined,
    private readonly show: (line: string) => void,
  ) {}

  add(stream: Stream, bytes: Buffer): void {
    this.take(stream, this.decoders[stream].write(bytes));
  }

  /** Says that nothing more comes. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      this.take(stream, this.decoders[stream].end());
      if (this.rests[stream] !== "" && shows(this.logging, stream)) this.show(this.rests[stream]);
      this.rests[stream] = "";
    }
  }

  /** What a stream said, without the last line end, as shells treat it too. */
  text(stream: Stream): string {
    return this.texts[stream].replace(/\n$/, "");
  }

  /** The last lines of both streams in the order in which they came, without those that are not to be shown. */
  tail(): string {
    const lines = this.shown.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
    return lines.length > TAIL_LENGTH ? `…${lines.slice(-TAIL_LENGTH)}` : lines;
  }

  private take(stream: Stream, text: string): void {
    this.texts[stream] += text;
    if (!shows(this.logging, stream)) return;
    this.shown = (this.shown + text).slice(-2 * TAIL_LENGTH);
    const lines = (this.rests[stream] + text).split("\n");
    this.rests[stream] = lines.pop() ?? "";
    lines.forEach(this.show);
  }
}

/** What to say of a command that did not succeed. `script` is left out where it is a secret. */
export function failure(how: string, script: string | undefined, output: Output): string {
  const short =
    script !== undefined && script.length > COMMAND_LENGTH ? `${script.slice(0, COMMAND_LENGTH)}…` : script;
  const tail = output.tail();
  return [
    `${how}${short === undefined ? "" : `: running ${JSON.stringify(short)}`}`,
    ...(tail === "" ? [] : ["its last output:", ...tail.split("\n").map((line) => `  ${line}`)]),
  ].join("\n");
}
