import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { at } from "../../lib/json";
import { oneContext } from "./kube-context";

const folder = mkdtempSync(path.join(tmpdir(), "fleetwright-context-"));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
write("ca.crt", "of east");
const one = write(
  "one",
  `contexts: [{name: east, context: {cluster: c, user: u}}, {name: lost, context: {cluster: c, user: nobody}}]
clusters: [{name: c, cluster: {server: "https://east", certificate-authority: ca.crt}}]
users: [{name: u, user: {token: t}}]
`,
);
const two = write(
  "two",
  `contexts: [{name: west, context: {cluster: c, user: u}}]
clusters: [{name: other, cluster: {server: "https://west"}}]
`,
);

test("one context is taken out of all, with the files that it names", () => {
  const config: unknown = JSON.parse(oneContext([two, one, path.join(folder, "missing")], "east"));
  expect(at(config, "clusters")).toEqual([
    {
      name: "east",
      cluster: {
        server: "https://east",
        "certificate-authority-data": Buffer.from("of east").toString("base64"),
      },
    },
  ]);
  expect(at(config, "users")).toEqual([{ name: "east", user: { token: "t" } }]);
  expect(at(config, "current-context")).toBe("east");
});

test("of several files the first that has a name counts, as for kubectl", () => {
  expect(at(JSON.parse(oneContext([two, one], "west")), "clusters", 0, "cluster", "server")).toBe(
    "https://east",
  );
});

test.each([
  ["north", /none of the contexts is called "north"/],
  ["lost", /none of the users is called "nobody"/],
])("the context %s is refused with what is missing", (context, reason) => {
  expect(() => oneContext([one], context)).toThrow(reason);
});
