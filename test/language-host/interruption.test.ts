import { existsSync, readFileSync } from "node:fs";
import { type Engine, eventually, type Running, withEngine } from "../harness/engine";

/** Starts an update that waits for ever, with a child process of its own, and waits until it does. */
async function waitingUpdate(engine: Engine, program: string): Promise<{ update: Running; pids: number[] }> {
  const announce = engine.path("announced");
  await engine.expect(["stack", "init", "dev"], program);
  const update = engine.start(["up", "--yes", "--skip-preview", "--config", `announce=${announce}`], program);
  const pids = await eventually("the program has made its resource", () =>
    existsSync(announce) ? numbers(readFileSync(announce, "utf8")) : undefined,
  );
  return { update, pids };
}

/** Reads the announced process ids; undefined while the file is half written. */
function numbers(text: string): number[] | undefined {
  const found = text.match(/\d+/g)?.map(Number);
  return text.endsWith("]") ? found : undefined;
}

it("ends everything on Ctrl-C and leaves a stack that can be used at once", () =>
  withEngine(async (engine) => {
    const program = engine.program("waiting");
    const { update, pids } = await waitingUpdate(engine, program);
    expect(engine.processes().map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));

    update.signal("SIGINT");
    const { code, stdout, stderr } = await update.outcome;
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toMatch(/rpc error|goroutine|panic|exited with code|ended by a signal/);
    await engine.idle();

    // No `pulumi cancel`, no repair: the next command just works, and knows the resource that was made before.
    await engine.expect(["config", "rm", "announce"], program);
    const again = await engine.expect(["up", "--yes", "--skip-preview"], program);
    expect(again).toContain("unchanged");
    expect(again).not.toContain("Stash kept created");
  }));

it("ends everything when the engine is killed", () =>
  withEngine(async (engine) => {
    const program = engine.program("waiting");
    const { update, pids } = await waitingUpdate(engine, program);
    expect(engine.processes().map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));

    update.signal("SIGKILL");
    await engine.idle();
    expect(await update.outcome).toMatchObject({ code: null });

    // A killed engine cannot take its lock back: that much is for the person to do.
    await engine.expect(["cancel", "--yes"], program);
    await engine.expect(["config", "rm", "announce"], program);
    await engine.expect(["up", "--yes", "--skip-preview"], program);
  }));

it("ends the program when the language host is killed", () =>
  withEngine(async (engine) => {
    const program = engine.program("waiting");
    const { update, pids } = await waitingUpdate(engine, program);
    const host = engine.processes().find(({ command }) => command.includes("pulumi-language-nodejs"));
    expect(host).toBeDefined();

    process.kill(host?.pid ?? Number.NaN, "SIGKILL");
    const { code } = await update.outcome;
    expect(code).not.toBe(0);
    const [node] = pids;
    await eventually("the program is gone", () =>
      engine.processes().some(({ pid }) => pid === node) ? undefined : true,
    );
  }));
