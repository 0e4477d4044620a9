import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { load } from "js-yaml";
import { listAt, numberAt, parseJson, textAt } from "../../../lib/json";
import { ensurePythonEnvironment, type EnvironmentOptions } from "../../../sandbox/toolchain";

/** A check of an object. */
export interface Finding {
  check: string;
  /** As in `Deployment.fleetwright-system.fleetwright-coordinator`. */
  resource: string;
}

/** A finding that we live with, and why. */
export interface Exception extends Finding {
  reason: string;
}

/** What Checkov says about a folder of manifests. */
export interface CheckovReport {
  passed: Finding[];
  findings: Finding[];
  /** Files that it could not read, and so said nothing about. */
  unread: string[];
}

/** Makes Checkov's Python environment in the cache unless it is there, and gives the path of its Python. */
export function ensureCheckov(options: EnvironmentOptions = {}): Promise<string> {
  const purpose = "the check of what is rendered";
  const requirements = path.join(__dirname, "requirements.txt");
  return ensurePythonEnvironment({ name: "checkov", purpose, requirements, oldestMinor: 11 }, options);
}

/** Lets Checkov look at every manifest of a folder, without asking anybody on the network. */
export async function checkFolder(folder: string): Promise<CheckovReport> {
  const python = await ensureCheckov();
  const program = path.join(path.dirname(python), "checkov");
  const flags = [
    "--framework",
    "kubernetes",
    "--output",
    "json",
    "--soft-fail",
    "--skip-download",
    "--compact",
  ];
  const said = await new Promise<string>((resolve, reject) => {
    execFile(
      python,
      [program, "--directory", folder, ...flags],
      {
        cwd: folder,
        maxBuffer: 256 << 20,
        // Nothing of a person's own: settings would change the checks, and a key would send the manifests away.
        env: { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", CKV_SKIP_PACKAGE_UPDATE_CHECK: "true" },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`checkov failed:\n${stdout.slice(-2000)}${stderr.slice(-2000)}`));
      },
    );
  });
  const report = parseJson(said);
  if (numberAt(report, "summary", "passed") === undefined)
    throw new Error(`checkov gave no report:\n${said.slice(0, 2000)}`);
  const checks = (list: string): Finding[] =>
    listAt(report, "results", list).map((entry) => ({
      check: textAt(entry, "check_id") ?? "",
      resource: textAt(entry, "resource") ?? "",
    }));
  return {
    passed: checks("passed_checks"),
    findings: checks("failed_checks"),
    unread: listAt(report, "results", "parsing_errors").map(String),
  };
}

/** The findings that we live with, each by itself. */
export async function readExceptions(): Promise<Exception[]> {
  const found = load(await readFile(path.join(__dirname, "exceptions.yaml"), "utf8"));
  return listAt(found, "exceptions").flatMap((entry) =>
    listAt(entry, "resources").map((resource) => ({
      check: textAt(entry, "check") ?? "",
      resource: String(resource),
      reason: textAt(entry, "reason") ?? "",
    })),
  );
}
