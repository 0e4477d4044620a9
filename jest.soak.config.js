"use strict";

const { testPathIgnorePatterns, ...config } = require("./jest.config.js");

/** What takes longer than a person waits for: long outages, many seeds, many kills. One file after another. */
/** @type {import("jest").Config} */
module.exports = {
  ...config,
  testMatch: ["<rootDir>/**/*.soak.test.ts"],
  testPathIgnorePatterns: testPathIgnorePatterns.filter((pattern) => !pattern.includes("soak")),
  testTimeout: 3_600_000,
  maxWorkers: 1,
};
