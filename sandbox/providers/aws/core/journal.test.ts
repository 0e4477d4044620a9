import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "./journal";

const urn = "urn:pulumi:dev::fleet::aws:ec2/instance:Instance::server";
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "fleetwright-journal-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

it("gives the same token to a creation that was interrupted before AWS answered", () => {
  const { creation } = new Journal(directory).begin(urn, "inputs");
  expect(new Journal(directory).begin(urn, "inputs")).toEqual({ creation, interrupted: true });
});

it("gives another token when the program asks for something else by then", () => {
  const { creation } = new Journal(directory).begin(urn, "inputs");
  const second = new Journal(directory).begin(urn, "others");
  expect(second.interrupted).toBe(false);
  expect(second.creation.token).not.toBe(creation.token);
});

it("remembers the id of what the engine never heard of, whatever is asked for by then", () => {
  const journal = new Journal(directory);
  journal.started(urn, journal.begin(urn, "inputs").creation, "i-1");
  expect(new Journal(directory).begin(urn, "others")).toMatchObject({
    creation: { id: "i-1", inputs: "inputs" },
    interrupted: true,
  });
});

it("forgets, on an orderly exit, what was reported to the engine", () => {
  const journal = new Journal(directory);
  journal.started(urn, journal.begin(urn, "inputs").creation, "i-1");
  journal.answered(urn);
  journal.close();
  expect(readdirSync(directory)).toEqual([]);
});

it("makes something new when the same process creates it again, as in a replacement", () => {
  const journal = new Journal(directory);
  const { creation } = journal.begin(urn, "inputs");
  journal.started(urn, creation, "i-1");
  journal.answered(urn);
  const second = journal.begin(urn, "inputs");
  expect(second.interrupted).toBe(false);
  expect(second.creation.token).not.toBe(creation.token);
});

it("asks for the same name again when a creation was cut short, and for a new one after it ended", () => {
  const journal = new Journal(directory);
  journal.begin(urn, "inputs", "server-1234567");
  expect(new Journal(directory).pendingName(urn)).toBe("server-1234567");
  journal.answered(urn);
  journal.close();
  expect(new Journal(directory).pendingName(urn)).toBeUndefined();
});

it("keeps the token of a creation that was never answered, over an orderly end", () => {
  const journal = new Journal(directory);
  const { creation } = journal.begin(urn, "inputs");
  journal.keepNote(urn);
  journal.answered(urn);
  journal.close();
  expect(new Journal(directory).begin(urn, "inputs")).toEqual({ creation, interrupted: true });
});
