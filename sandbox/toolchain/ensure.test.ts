import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { ExitCode, Failure } from "../../lib/failure";
import { ToolCache } from "./cache";
import { ensureFromTable, type EnsureOptions, planTools, type ReadyTool } from "./ensure";
import type { Download, Tool } from "./tools";

const TESTDATA = path.join(__dirname, "testdata");
const ARCHIVE_MEMBER = "release/hello";

let folder: string;
let cache: ToolCache;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-ensure-"));
  cache = new ToolCache(path.join(folder, "cache"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function hello(change: Partial<Tool> = {}): Tool {
  return {
    version: "1.2.3",
    purpose: "says hello",
    suits: "1.2.3",
    recognise: { by: "version", args: [], pattern: /version v(\S+)/ },
    download: {},
    build: { folder: "hello", package: ".", variables: { "main.version": "1.2.3" } },
    ...change,
  };
}

async function ensure(tool: Tool, options: EnsureOptions = {}): Promise<ReadyTool> {
  const tools = await ensureFromTable(
    ["hello-test"],
    { "hello-test": tool },
    { cache, goFolder: TESTDATA, ...options },
  );
  return tools["hello-test"];
}

async function failure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof Failure) return error;
  throw new Error(`expected a Failure, got ${String(error)}`);
}

/** Everything in the cache that is neither a lock nor a log. */
async function leftovers(): Promise<string[]> {
  const entries = await readdir(cache.root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(cache.root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !/^(locks|logs)\//.test(file));
}

/** Serves `bytes` at one address and counts the requests. */
async function serve(bytes: Buffer): Promise<{ url: string; requests: () => number; close: () => void }> {
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests++;
    if (request.url === "/moved") response.writeHead(302, { location: "/file" }).end();
    else response.writeHead(200, { "content-length": bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/moved`, requests: () => requests, close: () => server.close() };
}

function archive(script: string): Buffer {
  const release = path.join(folder, "release");
  execFileSync("mkdir", ["-p", release]);
  writeFileSync(path.join(release, "hello"), script);
  chmodSync(path.join(release, "hello"), 0o755);
  const file = path.join(folder, "release.tar.gz");
  execFileSync("tar", ["-czf", file, "-C", folder, ARCHIVE_MEMBER]);
  return readFileSync(file);
}

const download = (url: string, bytes: Buffer, member = ARCHIVE_MEMBER): Tool["download"] => {
  const one: Download = {
    url,
    digest: { algorithm: "sha256", hex: createHash("sha256").update(bytes).digest("hex") },
    member,
  };
  return { "linux-x64": one, "linux-arm64": one };
};

const run = (tool: ReadyTool): string => execFileSync(tool.path, { encoding: "utf8" }).trim();

describe("building", () => {
  test("builds once, at its version, and takes it from the cache afterwards", async () => {
    const built = await ensure(hello());
    expect(built.origin).toBe("build");
    expect(run(built)).toBe("hello version v1.2.3");
    const again = await ensure(hello());
    expect(again).toEqual({ ...built, origin: "cache" });
    expect((await leftovers()).map((file) => path.basename(file)).sort()).toEqual([
      "hello-test",
      "manifest.json",
    ]);
  });

  test("several programs of one module are built together, each under its own name", async () => {
    const part = (goPackage: string): Tool => hello({ build: { folder: "hello", package: goPackage } });
    const titles: string[] = [];
    const tools = await ensureFromTable(
      ["pack-test", "json-test"],
      { "pack-test": part("cmd/pack"), "json-test": part("cmd/test2json") },
      {
        cache,
        goFolder: TESTDATA,
        progress: {
          step: (title, work) => {
            titles.push(title);
            return work(() => {});
          },
          note: () => {},
        },
      },
    );
    expect(titles).toEqual(["pack-test, json-test 1.2.3 (1 of 1)"]);
    expect(path.basename(tools["json-test"].path)).toBe("json-test");
    expect(execFileSync(tools["json-test"].path, { input: "=== RUN   TestX\n", encoding: "utf8" })).toContain(
      "TestX",
    );
    expect(await readdir(path.join(cache.root, "work"))).toEqual([]);
  });

  test("a build that fails stops the others, with one message", async () => {
    const env = {
      ...process.env,
      GOPROXY: "off",
      GOMODCACHE: path.join(folder, "modules"),
      GOCACHE: path.join(folder, "gocache"),
    };
    const error = await failure(
      ensureFromTable(
        ["lost-test", "hello-test"],
        { "lost-test": hello({ build: { folder: "lost", package: "." } }), "hello-test": hello() },
        { cache, goFolder: TESTDATA, env },
      ),
    );
    expect(error.message).toMatch(/^Cannot build lost-test/);
    expect(await leftovers()).toEqual([]);
  });

  test("a plan names what is missing and what it takes, and makes nothing", async () => {
    const table = { "one-test": hello({ buildMinutes: 2 }), "two-test": hello({ buildMinutes: 3 }) };
    const names = ["one-test", "two-test"] as never[];
    const plan = await planTools(names, { table, cache, goFolder: TESTDATA });
    expect(plan).toEqual([
      { title: "one-test 1.2.3", tools: ["one-test"], minutes: 2, gigabytes: 1, downloadable: false },
      { title: "two-test 1.2.3", tools: ["two-test"], minutes: 3, gigabytes: 1, downloadable: false },
    ]);
    expect(await leftovers()).toEqual([]);
  });

  test("a changed recipe is built again", async () => {
    await ensure(hello());
    const other = await ensure(
      hello({ build: { ...hello().build, variables: { "main.version": "9.9.9" } } }),
    );
    expect(other.origin).toBe("build");
    expect(run(other)).toBe("hello version v9.9.9");
  });

  test("a program that was truncated in the cache is built again", async () => {
    const built = await ensure(hello());
    truncateSync(built.path, 1000);
    const again = await ensure(hello());
    expect(again.origin).toBe("build");
    expect(run(again)).toBe("hello version v1.2.3");
  });

  test("a missing network is reported as such, with its own exit code, and leaves nothing", async () => {
    const env = { ...process.env, GOPROXY: "off", GOMODCACHE: path.join(folder, "modules") };
    const error = await failure(ensure(hello({ build: { folder: "lost", package: "." } }), { env }));
    expect(error.message).toMatch(/Cannot build hello-test: the Go module proxy cannot be reached/);
    expect(error.exitCode).toBe(ExitCode.network);
    expect(await leftovers()).toEqual([]);
  });

  test("a version that does not exist names the files to correct", async () => {
    const server = http.createServer((_request, response) => response.writeHead(404).end("not found"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const env = {
      ...process.env,
      GOPROXY: `http://127.0.0.1:${port}`,
      GONOSUMDB: "*",
      GOMODCACHE: path.join(folder, "modules"),
    };
    const error = await failure(ensure(hello({ build: { folder: "lost", package: "." } }), { env }));
    server.close();
    expect(error.message).toMatch(/does not have that version\. Correct go\.mod and the version in/);
    expect(await leftovers()).toEqual([]);
  });

  test("an unknown tool and an unknown module folder are named", async () => {
    const unknown = await failure(ensureFromTable(["nonsense"], { hello: hello() }, { cache }));
    expect(unknown.message).toBe('Unknown tool "nonsense". The tools are hello.');
    expect(unknown.exitCode).toBe(ExitCode.usage);
    const folderless = await failure(ensure(hello({ build: { folder: "nowhere", package: "." } })));
    expect(folderless.message).toMatch(/names the Go module "nowhere".*Correct build\.folder/);
  });

  test("without Go, the message says what is missing and how to get it", async () => {
    const PATH = path.join(folder, "bin");
    execFileSync("mkdir", ["-p", PATH]);
    for (const tool of ["flock", "sh", "cat", "tar", "node"]) {
      execFileSync("ln", [
        "-s",
        execFileSync("which", [tool], { encoding: "utf8" }).trim(),
        path.join(PATH, tool),
      ]);
    }
    const { code, stderr } = await runScript({ PATH });
    expect(stderr).toMatch(/Missing prerequisites:\n {2}- Go .* found none: install it/);
    expect(code).toBe(ExitCode.prerequisite);
  });
});

describe("downloading", () => {
  test("a download with the right digest is used, through a redirect, and fetched once for two tools", async () => {
    const bytes = archive("#!/bin/sh\necho from the archive\n");
    const site = await serve(bytes);
    const tool = hello({ download: download(site.url, bytes) });
    const tools = await ensureFromTable(
      ["one-test", "two-test"],
      { "one-test": tool, "two-test": tool },
      { cache, goFolder: TESTDATA },
    );
    site.close();
    expect(tools["one-test"].origin).toBe("download");
    expect(run(tools["two-test"])).toBe("from the archive");
    // Two to ask whether the site has it and two to fetch it: each is redirected once.
    expect(site.requests()).toBe(4);
    expect(await readdir(path.join(cache.root, "work"))).toEqual([]);
  });

  test("a digest that differs stops everything and keeps nothing", async () => {
    const bytes = archive("#!/bin/sh\necho evil\n");
    const site = await serve(bytes);
    const error = await failure(
      ensure(hello({ download: download(site.url, Buffer.from("the real thing")) })),
    );
    site.close();
    expect(error.message).toMatch(/its sha256 is [0-9a-f]{64}, and the table of tools expects [0-9a-f]{64}/);
    expect(error.exitCode).toBe(ExitCode.integrity);
    expect(await leftovers()).toEqual([]);
  });

  test.each([
    ["is no archive", () => Buffer.from("<html>please log in</html>"), ARCHIVE_MEMBER],
    ["is cut short", () => archive("#!/bin/sh\necho x\n").subarray(0, 60), ARCHIVE_MEMBER],
    ["lacks the program", () => archive("#!/bin/sh\necho x\n"), "release/other"],
  ])("an archive that %s is refused and keeps nothing", async (_what, make, member) => {
    const bytes = make();
    const site = await serve(bytes);
    const error = await failure(ensure(hello({ download: download(site.url, bytes, member) })));
    site.close();
    expect(error.message).toMatch(/cannot be unpacked/);
    expect(error.exitCode).toBe(ExitCode.integrity);
    expect(await leftovers()).toEqual([]);
  });

  test("a site that cannot be reached means a build", async () => {
    const tool = hello({ download: download("http://127.0.0.1:9/hello.tar.gz", Buffer.from("")) });
    expect((await ensure(tool)).origin).toBe("build");
  });

  test("a site that answers but never delivers is given up", async () => {
    const server = http.createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const tool = hello({ download: download(`http://127.0.0.1:${port}/x`, Buffer.from("")) });
    expect((await ensure(tool)).origin).toBe("build");
    server.closeAllConnections();
    server.close();
  });

  test("downloads can be turned off", async () => {
    const bytes = archive("#!/bin/sh\necho from the archive\n");
    const site = await serve(bytes);
    const env = { ...process.env, FLEETWRIGHT_TOOLS_DOWNLOAD: "off" };
    expect((await ensure(hello({ download: download(site.url, bytes) }), { env })).origin).toBe("build");
    site.close();
    expect(site.requests()).toBe(0);
  });
});

/** A process of its own that ensures the tool: what a second terminal or a killed run is. */
const SCRIPT = `
  const { ensureFromTable } = require(${JSON.stringify(path.join(__dirname, "ensure.ts"))});
  const { ToolCache } = require(${JSON.stringify(path.join(__dirname, "cache.ts"))});
  const tool = ${JSON.stringify({ ...hello(), recognise: { by: "beside", tool: "hello-test" } })};
  ensureFromTable(["hello-test"], { "hello-test": tool }, {
    cache: new ToolCache(process.env.TEST_CACHE), goFolder: ${JSON.stringify(TESTDATA)},
    progress: { step: (title, work) => work((text) => process.stderr.write(text + "\\n")), note() {} },
  }).then(
    (tools) => console.log(tools["hello-test"].origin),
    (error) => { console.error(error.message); process.exitCode = error.exitCode ?? 99; },
  );
`;

function startScript(env: NodeJS.ProcessEnv = {}): ReturnType<typeof spawn> {
  return spawn(process.execPath, ["--require", require.resolve("tsx/cjs"), "-e", SCRIPT], {
    env: { ...process.env, TEST_CACHE: cache.root, ...env },
    cwd: path.join(__dirname, "..", ".."),
  });
}

async function runScript(
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return finished(startScript(env));
}

function finished(
  child: ReturnType<typeof spawn>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
}

describe("more than one run", () => {
  test("two runs at once build once", async () => {
    const results = await Promise.all([runScript(), runScript()]);
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(results.map(({ stdout }) => stdout.trim()).sort()).toEqual(["build", "cache"]);
  });

  test("a run that is killed while it builds leaves no lock and nothing half made; the next one succeeds", async () => {
    const victim = startScript({ GOCACHE: path.join(folder, "gocache") });
    await new Promise<void>((resolve) => {
      victim.stderr?.on("data", (chunk: Buffer) => {
        if (chunk.toString().includes("building")) resolve();
      });
    });
    const gone = finished(victim);
    victim.kill("SIGKILL");
    await gone;
    expect((await leftovers()).filter((file) => file.startsWith("tools/"))).toEqual([]);
    const next = await runScript();
    expect(next.stdout.trim()).toBe("build");
    expect((await leftovers()).filter((file) => file.startsWith("work/"))).toEqual([]);
  });

  test("an abort ends the build, and nothing stays", async () => {
    const controller = new AbortController();
    const progress: EnsureOptions["progress"] = {
      step: (_title, work) =>
        work((detail) => {
          if (detail === "building") setImmediate(() => controller.abort());
        }),
      note: () => {},
    };
    const env = { ...process.env, GOCACHE: path.join(folder, "gocache") };
    const error = await failure(ensure(hello(), { env, progress, signal: controller.signal }));
    expect(error.exitCode).toBe(ExitCode.interrupted);
    expect(await leftovers()).toEqual([]);
  });

  const canMount = ((): boolean => {
    try {
      execFileSync("unshare", ["--mount", "--map-root-user", "true"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  })();
  (canMount ? test : test.skip)("a full disk is reported as such and leaves nothing half made", async () => {
    // A file system of 600 kB, seen by this one process only.
    const script = `mount -t tmpfs -o size=600k tmpfs ${cache.root} && exec "$0" "$@"`;
    execFileSync("mkdir", ["-p", cache.root]);
    const child = spawn(
      "unshare",
      [
        "--mount",
        "--map-root-user",
        "sh",
        "-c",
        script,
        process.execPath,
        "--require",
        require.resolve("tsx/cjs"),
        "-e",
        SCRIPT,
      ],
      { env: { ...process.env, TEST_CACHE: cache.root }, cwd: path.join(__dirname, "..", "..") },
    );
    const { code, stderr } = await finished(child);
    expect(stderr).toMatch(/the disk is full/i);
    expect(code).toBe(ExitCode.diskFull);
  });
});
