import { spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ensureTools } from "../../sandbox/toolchain";

const repository = join(__dirname, "../..");

/** The folder of the programs and policy packs that tests run. */
export const programs = join(__dirname, "../programs");

/** Where the tools under test are. */
export interface EnginePaths {
  readonly pulumi: string;
  readonly languageHost: string;
}

/** Finds the tools under test. */
export async function enginePaths(): Promise<EnginePaths> {
  const tools = await ensureTools(["pulumi", "pulumi-language-nodejs"]);
  return { pulumi: tools.pulumi.path, languageHost: tools["pulumi-language-nodejs"].path };
}

/** How a command of the engine ended, and what it said. */
export interface Outcome {
  /** The exit code; null when a signal ended the command. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of the engine that may still be running. */
export interface Running {
  readonly outcome: Promise<Outcome>;
  /** What it has printed so far. */
  printed(): string;
  /** Sends a signal to the command's process group, as a terminal does on Ctrl-C. */
  signal(name: NodeJS.Signals): void;
}

/** The environment of a command; undefined takes a variable away. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A real Pulumi engine with a home, a state and programs of its own in a temporary directory, so that tests disturb
 * neither each other nor the person who runs them.
 */
export class Engine {
  private constructor(
    private readonly directory: string,
    private readonly paths: EnginePaths,
    private readonly inside: (argv: readonly string[]) => readonly string[],
  ) {}

  /** Makes an engine; `close` it afterwards. `inside` puts its commands into a sandbox's network. */
  static async open({
    inside = (argv) => argv,
  }: { inside?: (argv: readonly string[]) => readonly string[] } = {}): Promise<Engine> {
    const directory = await realpath(await mkdtemp(join(tmpdir(), "fleetwright-engine-")));
    const engine = new Engine(directory, await enginePaths(), inside);
    await mkdir(engine.home);
    await mkdir(engine.state);
    return engine;
  }

  /** The engine's PULUMI_HOME. It marks every process that the engine starts. */
  get home(): string {
    return join(this.directory, "home");
  }

  /** The folder of the file backend: what is in it is all that the engine knows about its stacks. */
  get state(): string {
    return join(this.directory, "state");
  }

  /** A path for a file of the test's own. */
  path(name: string): string {
    return join(this.directory, name);
  }

  /**
   * Copies a program, because the engine writes the stack's settings beside it, and lends it the repository's
   * packages. Gives its directory.
   */
  program(name: string, { as = name, packages = true } = {}): string {
    const target = this.path(as);
    cpSync(join(programs, name), target, { recursive: true });
    if (packages) {
      symlinkSync(join(repository, "node_modules"), join(target, "node_modules"));
    }
    return target;
  }

  /** Runs `pulumi` in a directory to its end. */
  async pulumi(args: readonly string[], cwd: string, env: Environment = {}): Promise<Outcome> {
    return this.start(args, cwd, env).outcome;
  }

  /** Runs `pulumi` and fails with its output unless it succeeds. Gives its standard output. */
  async expect(args: readonly string[], cwd: string, env: Environment = {}): Promise<string> {
    const { code, stdout, stderr } = await this.pulumi(args, cwd, env);
    if (code !== 0) {
      throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${stdout}\n${stderr}`);
    }
    return stdout;
  }

  /** Starts `pulumi` as the leader of a process group, as a shell would. */
  start(args: readonly string[], cwd: string, env: Environment = {}): Running {
    return this.spawn([this.paths.pulumi, "--non-interactive", "--color=never", ...args], cwd, env);
  }

  /** Starts another program in the same way, in a shell where this engine is the one that `pulumi` runs. */
  spawn(argv: readonly string[], cwd: string, env: Environment = {}): Running {
    const [program = "", ...words] = this.inside(argv);
    const child = spawn(program, words, {
      cwd,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.environment(), ...env },
    });
    let stdout = "";
    let stderr = "";
    const outcome = new Promise<Outcome>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
    return {
      outcome,
      printed: () => stdout + stderr,
      signal: (name) => {
        if (child.pid !== undefined) {
          process.kill(-child.pid, name);
        }
      },
    };
  }

  /** The processes that this engine started and that still run, with their command lines. */
  processes(): { pid: number; command: string }[] {
    const mark = `PULUMI_HOME=${this.home}`;
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => read(`/proc/${name}/environ`).split("\0").includes(mark))
      .map((name) => ({
        pid: Number(name),
        command: read(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim(),
      }));
  }

  /** Waits until nothing runs any more; fails with what still does. */
  async idle(deadline = 120_000): Promise<void> {
    try {
      await eventually("nothing runs", () => (this.processes().length === 0 ? true : undefined), deadline);
    } catch {
      const left = this.processes().map(({ pid, command }) => `\n  ${pid} ${command}`);
      throw new Error(`after ${deadline} ms these processes of the engine are left:${left.join("")}`);
    }
  }

  /** Ends what still runs and deletes everything. */
  async close(): Promise<void> {
    // A process that was killed may still write until it is gone, and a folder that something is written into cannot be removed.
    await eventually("nothing runs after a kill", () => {
      const left = this.processes();
      for (const { pid } of left) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It ended by itself between the two lines.
        }
      }
      return left.length === 0 ? true : undefined;
    });
    await rm(this.directory, { recursive: true, force: true });
  }

  private environment(): Environment {
    const path = [dirname(this.paths.pulumi), dirname(this.paths.languageHost), process.env.PATH];
    return {
      PATH: path.join(delimiter),
      PULUMI_HOME: this.home,
      PULUMI_BACKEND_URL: `file://${this.state}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      // Jest's own settings are for jest's own process.
      NODE_OPTIONS: undefined,
      NODE_ENV: undefined,
    };
  }
}

/** Gives the body an engine of its own, and closes it whatever happens. */
export async function withEngine<T>(body: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await Engine.open();
  try {
    return await body(engine);
  } finally {
    await engine.close();
  }
}

/** Waits until a condition gives something other than undefined; fails after the deadline with what it waited for. */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined,
  deadline = 120_000,
): Promise<T> {
  const end = Date.now() + deadline;
  for (;;) {
    const value = condition();
    if (value !== undefined) {
      return value;
    }
    if (Date.now() > end) {
      throw new Error(`after ${deadline} ms still not true: ${what}`);
    }
    await pause(50);
  }
}

/** Reads a file of a process that may be gone by now. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
