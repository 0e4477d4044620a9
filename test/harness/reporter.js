"use strict";

const path = require("node:path");

const QUIET_MS = 30_000;

/**
 * Progress while the tests run, one line a file and one every half minute in between; at the very end one plain line
 * that any continuous integration can read: `N passed, N failed, N skipped`.
 */
module.exports = class ProgressReporter {
  #started = Date.now();
  #running = new Set();
  #heartbeat;

  onRunStart() {
    this.#heartbeat = setInterval(() => {
      if (this.#running.size > 0) this.#say(`running: ${[...this.#running].join(", ")}`);
    }, QUIET_MS);
    this.#heartbeat.unref();
  }

  onTestFileStart({ path: file }) {
    this.#running.add(named(file));
  }

  onTestFileResult({ path: file }, result, { numTotalTestSuites, ...all }) {
    this.#running.delete(named(file));
    const done = all.numPassedTestSuites + all.numFailedTestSuites + all.numPendingTestSuites;
    const failed = result.numFailingTests > 0 || result.testExecError !== undefined;
    const outcome = failed ? "FAILED" : result.skipped ? "skipped" : "passed";
    this.#say(`${done} of ${numTotalTestSuites} files: ${outcome} ${named(file)}`);
    this.#heartbeat.refresh();
  }

  onRunComplete(_contexts, results) {
    clearInterval(this.#heartbeat);
    const skipped = results.numPendingTests + results.numTodoTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    // Jest writes its own summary after this call.
    process.once("exit", () => {
      process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }

  #say(text) {
    const seconds = Math.round((Date.now() - this.#started) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    process.stdout.write(`[${time}] ${text}\n`);
  }
};

function named(file) {
  return path.relative(process.cwd(), file);
}
