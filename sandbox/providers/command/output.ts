import { StringDecoder } from "node:string_decoder";
import { quotedAsInGo } from "./go-words";

/** Which streams of a command are shown while it runs. */
export type Logging = "stdout" | "stderr" | "stdoutAndStderr" | "none";
export const LOGGING: readonly Logging[] = ["stdout", "stderr", "stdoutAndStderr", "none"];

/** The names of a command's streams. */
export type Stream = "stdout" | "stderr";

/** Whether a stream is to be shown. */
export function shows(logging: string | undefined, stream: Stream): boolean {
  return logging === undefined || logging === "stdoutAndStderr" || logging === stream;
}

/** Gathers what a command says, and shows it line by line as far as it is to be shown. */
export class Output {
  private readonly texts = { stdout: "", stderr: "" };
  private readonly decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  private readonly rests = { stdout: "", stderr: "" };
  private both = "";

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

  /** All that both streams said in the order in which it came, whatever is to be shown of it. */
  everything(): string {
    return this.both;
  }

  private take(stream: Stream, text: string): void {
    this.texts[stream] += text;
    this.both += text;
    if (!shows(this.logging, stream)) return;
    const lines = (this.rests[stream] + text).split("\n");
    this.rests[stream] = lines.pop() ?? "";
    lines.forEach(this.show);
  }
}

/**
 * What to say of a command that did not succeed, in the words of the official provider (1.2.1, `run` of commandOutputs.go):
 * all of the script, and all that it said, also where `logging` shows less of it while it runs.
 */
export function failure(how: string, script: string, output: Output): string {
  return `${how}: running ${quotedAsInGo(script)}:\n${output.everything()}`;
}
