"use strict";

// The stack of one `await` says nothing about who waited; twenty frames usually do.
Error.stackTraceLimit = 20;

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "/\\.sandbox/", "\\.soak\\.test\\.ts$"],
  modulePathIgnorePatterns: ["<rootDir>/\\.sandbox/", "/programs/.*/package.json"],
  transform: { "\\.[cm]?[jt]s$": "<rootDir>/test/harness/transform.js" },
  // Packages that ship as ES modules only are turned into CommonJS like our own files.
  transformIgnorePatterns: ["/node_modules/(?!(@kubernetes/client-node|openid-client|oauth4webapi|jose)/)"],
  globalSetup: "<rootDir>/test/harness/setup.ts",
  globalTeardown: "<rootDir>/test/harness/teardown.ts",
  reporters: ["default", "<rootDir>/test/harness/reporter.js"],
  verbose: true,
  // No measure of speed: only what hangs takes so long, also on a busy machine.
  testTimeout: 300_000,
  // Every test of the engine runs a Go program, a Node program and plugins: more workers than cores only wait.
  maxWorkers: 2,
};
