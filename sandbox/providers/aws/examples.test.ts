import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAws, type Aws } from "../../aws";
import { wasDefaulted } from "./core/check";
import type { AwsResource } from "./core/declaration";
import { Journal } from "./core/journal";
import type { Property } from "./core/property";
import { same } from "./core/property";
import type { Values } from "./core/value";
import { AwsOperations } from "./operations";
import { resources } from "./registry";
import { AwsSession } from "./session";
import { readSettings } from "./settings";
import type { AnyExample } from "./testing/examples";
import {
  balancing,
  clusters,
  compute,
  identity,
  network,
  storage,
  ExampleDependencies,
} from "./testing/examples";

const examples: AnyExample[] = [...network, ...compute, ...identity, ...balancing, ...clusters, ...storage];
const notes = mkdtempSync(join(tmpdir(), "fleetwright-journal-"));
let aws: Aws;
let fixture: ExampleDependencies;
let session: AwsSession;
let provider: AwsOperations;

beforeAll(async () => {
  aws = await startAws({
    timing: {
      instance: 0,
      volume: 0,
      attachment: 0,
      gateway: 0,
      balancer: 0,
      cluster: 0,
      nodegroup: 0,
      addon: 0,
      update: 0,
    },
  });
  const endpoints = [
    "autoscaling",
    "cloudwatchlogs",
    "dlm",
    "ec2",
    "eks",
    "elbv2",
    "iam",
    "kms",
    "route53",
    "s3",
    "ssm",
    "sts",
  ].map((name) => ({ [name]: aws.endpoint }));
  const settings = {
    region: aws.region,
    accessKey: "AKIAIOSFODNN7EXAMPLE",
    secretKey: "sandbox",
    endpoints,
    s3UsePathStyle: true,
    defaultTags: { tags: { project: "fleetwright" } },
  };
  session = new AwsSession(readSettings(settings, {}));
  provider = new AwsOperations(session, new Journal(notes));
  fixture = new ExampleDependencies(provider, aws.region);
});

afterAll(async () => {
  await session.close();
  await aws.stop();
  rmSync(notes, { recursive: true, force: true });
});

it("has an example of every type", () => {
  expect(examples.map(({ token }) => token).sort()).toEqual([...resources.keys()].sort());
});

describe.each(examples.map((example) => [example.token, example] as const))("%s", (token, example) => {
  const resource = known(token);
  const urn = `urn:pulumi:test::examples::${token}::example`;
  let inputs: Values;
  let id: string;
  let state: Values;

  const checked = (news: Values, olds: Values = {}): Values => {
    const result = provider.check({ urn, olds, news, seed: new Uint8Array([1]) });
    expect(result.failures).toEqual([]);
    return result.inputs;
  };
  const change = (news: Values) => provider.diff(urn, { olds: state, oldInputs: inputs, news, ignore: [] });

  it("is created, and reads back as it was answered", async () => {
    inputs = checked(await example.inputs(fixture));
    ({ id, state } = await provider.create(urn, inputs));
    const found = await provider.read(urn, id, state, inputs);
    expect(found).toEqual({ id, state, inputs });
    expect(change(inputs).changed).toEqual([]);
  });

  it("is imported with the same state", async () => {
    const found = await provider.read(urn, example.importId?.(id, state) ?? id, {}, undefined);
    expect(found?.id).toBe(id);
    for (const [name, value] of Object.entries(state)) {
      if (resource.properties[name]?.local !== true && !given(resource, name, inputs))
        expect({ [name]: found?.state[name] }).toEqual({ [name]: value });
    }
    const written = Object.fromEntries(
      Object.entries(inputs).filter(
        ([name]) => resource.properties[name]?.local !== true || wasDefaulted(inputs, name),
      ),
    );
    const difference = provider.diff(urn, {
      olds: found?.state ?? {},
      oldInputs: found?.inputs ?? {},
      news: written,
      ignore: [],
    });
    expect(difference.changed).toEqual([]);
    expect(
      provider.diff(urn, {
        olds: found?.state ?? {},
        oldInputs: found?.inputs ?? {},
        news: found?.inputs ?? {},
        ignore: [],
      }).changed,
    ).toEqual([]);
  });

  it("names every property that another value replaces", () => {
    for (const [name, property] of Object.entries(resource.properties)) {
      if (property?.replaces !== true) continue;
      const { replaces } = change({ ...inputs, [name]: other(property, inputs[name] ?? state[name]) });
      expect(replaces).toContain(name);
    }
  });

  it("replaces in the cases that are not simply a matter of the property", async () => {
    for (const [name, value] of Object.entries((await example.replaces?.(fixture)) ?? {})) {
      expect(change({ ...inputs, [name]: value }).replaces).toContain(name);
    }
  });

  it("updates every other property in place", async () => {
    const values = await example.updates(fixture);
    const open = Object.entries(resource.properties).filter(
      ([, property]) => property?.replaces !== true && property?.local !== true,
    );
    const missing = open
      .map(([name]) => name)
      .filter((name) => values[name] === undefined && example.fixed?.[name] === undefined);
    expect(missing).toEqual([]);
    const single = Object.entries(values)
      .filter(([name]) => example.fixed?.[name] === undefined)
      .map(([name, value]) => ({ [name]: value }));
    for (const values of example.together === true ? [Object.assign({}, ...single) as Values] : single) {
      const name = Object.keys(values);
      const news = checked({ ...inputs, ...values }, inputs);
      const { changed, replaces } = change(news);
      expect({ changed: [...changed].sort(), replaces }).toEqual({ changed: name.sort(), replaces: [] });
      state = await provider.update(urn, id, { olds: state, oldInputs: inputs, news, ignore: [] });
      inputs = news;
      expect({ name, left: change(inputs).changed }).toEqual({ name, left: [] });
      expect({ name, found: await provider.read(urn, id, state, inputs) }).toEqual({
        name,
        found: { id, state, inputs },
      });
    }
  });

  if (resource.tagging !== undefined && example.untaggable === undefined) {
    it("changes its tags, and has those of the provider", async () => {
      expect(state.tagsAll).toMatchObject({ project: "fleetwright" });
      const news = checked({ ...inputs, tags: { Name: "other", more: "yes" } }, inputs);
      expect(change(news)).toMatchObject({ changed: ["tags", "tagsAll"], replaces: [] });
      state = await provider.update(urn, id, { olds: state, oldInputs: inputs, news, ignore: [] });
      inputs = news;
      expect(state.tags).toEqual({ Name: "other", more: "yes" });
      expect(state.tagsAll).toEqual({ Name: "other", more: "yes", project: "fleetwright" });
      const bare = checked({ ...inputs, tags: {} }, inputs);
      state = await provider.update(urn, id, { olds: state, oldInputs: inputs, news: bare, ignore: [] });
      inputs = bare;
      expect(state.tagsAll).toEqual({ project: "fleetwright" });
      expect(change(inputs).changed).toEqual([]);
    });
  }

  it("is deleted, and deleting it again is no error", async () => {
    await provider.delete(urn, id, state);
    if (example.stays !== true) expect(await provider.read(urn, id, state, inputs)).toBeUndefined();
    await provider.delete(urn, id, state);
  });
});

function known(token: string): AwsResource {
  const resource = resources.get(token);
  if (resource === undefined) throw new Error(`There is no ${token}`);
  return resource;
}

/** Whether a property keeps the program's spelling, which an import cannot know. */
function given(resource: AwsResource, name: string, inputs: Values): boolean {
  return resource.properties[name] !== undefined && inputs[name] !== undefined;
}

/** Another value of the same kind. */
function other(property: Property, value: unknown): unknown {
  const choice = property.oneOf?.find((text) => text !== value);
  if (choice !== undefined) return choice;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return [...(value as unknown[]), "another"];
  if (typeof value === "object" && value !== null)
    return { ...value, type: "another", networkInterfaceId: "another" };
  const text = `${typeof value === "string" ? value : ""}-another`;
  return same(property, text, value) ? "another" : text;
}
