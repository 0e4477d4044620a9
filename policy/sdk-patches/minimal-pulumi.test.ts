import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as rpc from "@pulumi/pulumi/runtime/rpc";
import { build } from "../bundle";
import * as standIn from "./minimal-pulumi-rpc";

const SDK = path.dirname(require.resolve("@pulumi/policy/package.json"));
const sources = readdirSync(SDK)
  .filter((file) => file.endsWith(".js"))
  .map((file) => readFileSync(path.join(SDK, file), "utf8"));

test("is needed: the policy SDK loads @pulumi/pulumi and its runtime", () => {
  expect(sources.some((text) => text.includes('require("@pulumi/pulumi")'))).toBe(true);
  expect(sources.some((text) => text.includes('require("@pulumi/pulumi/runtime/rpc")'))).toBe(true);
});

test("works: the keys are those of @pulumi/pulumi", () => {
  for (const [name, value] of Object.entries(standIn))
    expect([name, Reflect.get(rpc, name)]).toEqual([name, value]);
});

test("works: the bundle has everything that it needs, without the runtime", () => {
  const { contents, inputs } = build();
  const loaded = inputs.filter((file) => file.includes("/@pulumi/pulumi/"));
  expect(loaded.map((file) => file.split("/@pulumi/pulumi/")[1]?.split("/")[0]).sort()).not.toContain(
    "runtime",
  );
  const required = [
    ...Buffer.from(contents)
      .toString("utf8")
      .matchAll(/[^.\w]require\("([^"]+)"\)/g),
  ].map(([, name]) => name ?? "");
  const external = [...new Set(required)].filter((name) => !/^(node:)?[a-z0-9_/]+$/.test(name));
  expect(external).toEqual([]);
});

test("works: the members of @pulumi/pulumi that the policy SDK uses are there", () => {
  const used = sources.flatMap((text) =>
    text.includes('require("@pulumi/pulumi")')
      ? [...text.matchAll(/\bpulumi_1\.(\w+)/g)].map(([, name]) => name ?? "")
      : [],
  );
  expect([...new Set(used)].sort()).toEqual(["Output", "asset"]);
});
