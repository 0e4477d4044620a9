import { credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { redact } from "./context";
import { func } from "./function";
import { text, wholeNumber } from "./kind";
import { Operations } from "./operations";
import type { Provider } from "./provider";
import { resource, same } from "./declared-resource";
import { engineAddress } from "./serve";
import { providerService, typeOf } from "./service";
import { receive, send, UNKNOWN, type Values } from "./wire";

interface Inputs {
  label?: string;
  size?: number;
  password?: string;
}

let started: (() => void) | undefined;

const thing = resource<Inputs, { made: string; hidden: string }>({
  inputs: {
    label: { kind: text, onChange: "replace" },
    size: { kind: wholeNumber(0), default: 1 },
    password: { kind: text, secret: true },
  },
  outputs: { made: { kind: text, required: true }, hidden: { kind: text, secret: true } },
  check: ({ size }) => (size === 13 ? [{ property: "size", reason: "brings bad luck" }] : []),
  renews: (changed) => changed.has("size"),
  create: async (context, inputs) => {
    if (inputs.label === "fail") throw new Error(`cannot log in with ${inputs.password ?? ""}`);
    if (inputs.label === "wait") {
      await new Promise((_, reject) => {
        context.signal.addEventListener("abort", () => reject(new Error(String(context.signal.reason))));
        started?.();
      });
    }
    return { id: "id-1", outputs: { made: `made ${inputs.label ?? ""}`, hidden: "h" } };
  },
});

const provider: Provider = {
  name: "toy",
  version: "1.2.3",
  settings: { region: { kind: text } },
  replacingSettings: ["region"],
  resources: { "toy:index:Thing": thing },
  functions: {
    "toy:index:ask": func<{ question: string }, { answer: string; question: string }>({
      args: { question: { kind: text, required: true } },
      result: { answer: {}, question: {} },
      invoke: async (_, { question }) => ({ question, answer: `${question}!` }),
    }),
  },
};

let server: Server;
let client: ResourceProviderClient;
beforeEach(async () => {
  server = new Server();
  const silent = { status: () => {}, info: () => {}, warning: () => {}, error: () => {} };
  server.addService(
    ResourceProviderService,
    providerService(provider, new Operations(), { about: () => silent, attach: () => {} }),
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterEach(() => {
  client.close();
  server.forceShutdown();
});

type Callback<T> = (error: Error | null, response: T) => void;
function ask<T>(call: (callback: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, response) => (error === null ? resolve(response) : reject(error))),
  );
}

const URN = "urn:pulumi:dev::project::parent:index:Parent$toy:index:Thing::name";
const struct = (values: Values, secrets: string[] = []) =>
  Struct.fromJavaScript(send(values, new Set(secrets)));
const opened = (value: Struct | undefined) => receive(value?.toJavaScript() ?? {});

test("check fills defaults, keeps secrets, names wrong properties and the way out", async () => {
  const good = await ask<proto.CheckResponse>((done) =>
    client.check(new proto.CheckRequest().setUrn(URN).setNews(struct({ label: "a" }, ["label"])), done),
  );
  expect(opened(good.getInputs())).toEqual({ values: { label: "a", size: 1 }, secrets: new Set(["label"]) });
  expect(good.getFailuresList()).toEqual([]);
  const bad = await ask<proto.CheckResponse>((done) =>
    client.check(new proto.CheckRequest().setUrn(URN).setNews(struct({ lable: "a", size: "x" })), done),
  );
  expect(bad.getFailuresList().map((failure) => failure.getReason())).toEqual([
    'lable there is no property "lable" here; known are label, size, password.\nTo use the official provider: pulumi plugin install resource toy 1.2.3',
    "size must be a whole number of at least 0, but is a string.",
  ]);
  const between = await ask<proto.CheckResponse>((done) =>
    client.check(new proto.CheckRequest().setUrn(URN).setNews(struct({ size: 13, label: UNKNOWN })), done),
  );
  expect(between.getFailuresList().map((failure) => failure.getReason())).toEqual(["size brings bad luck."]);
});

test("a preview echoes what is known and computes nothing", async () => {
  const request = new proto.CreateRequest()
    .setUrn(URN)
    .setPreview(true)
    .setProperties(struct({ label: UNKNOWN, password: "p" }));
  const created = await ask<proto.CreateResponse>((done) => client.create(request, done));
  expect(opened(created.getProperties())).toEqual({
    values: { label: UNKNOWN, password: "p", made: UNKNOWN, hidden: UNKNOWN },
    secrets: new Set(["password", "hidden"]),
  });
  const update = (news: Values) =>
    new proto.UpdateRequest()
      .setUrn(URN)
      .setPreview(true)
      .setOlds(struct({ size: 1, made: "m" }))
      .setOldInputs(struct({ size: 1 }))
      .setNews(struct(news));
  const kept = await ask<proto.UpdateResponse>((done) =>
    client.update(update({ size: 1, password: "x" }), done),
  );
  expect(opened(kept.getProperties()).values).toMatchObject({ made: "m" });
  const renewed = await ask<proto.UpdateResponse>((done) => client.update(update({ size: 2 }), done));
  expect(opened(renewed.getProperties()).values).toMatchObject({ made: UNKNOWN });
});

test("a creation marks as secret what is declared so and what came so", async () => {
  const request = new proto.CreateRequest()
    .setUrn(URN)
    .setProperties(struct({ label: "a", password: "p" }, ["label"]));
  const created = await ask<proto.CreateResponse>((done) => client.create(request, done));
  expect(created.getId()).toBe("id-1");
  expect(opened(created.getProperties())).toEqual({
    values: { label: "a", password: "p", made: "made a", hidden: "h" },
    secrets: new Set(["label", "password", "hidden"]),
  });
});

test("an error tells no secret", async () => {
  const request = new proto.CreateRequest()
    .setUrn(URN)
    .setProperties(struct({ label: "fail", password: "hunter2" }, ["password"]));
  await expect(ask<proto.CreateResponse>((done) => client.create(request, done))).rejects.toThrow(
    "cannot log in with [secret]",
  );
});

test("a cancellation ends what runs and refuses what comes", async () => {
  const running = new Promise<void>((resolve) => (started = resolve));
  const request = new proto.CreateRequest().setUrn(URN).setProperties(struct({ label: "wait" }));
  const outcome = expect(ask<proto.CreateResponse>((done) => client.create(request, done))).rejects.toThrow(
    "the update was cancelled",
  );
  await running;
  await ask<Empty>((done) => client.cancel(new Empty(), done));
  await outcome;
  await expect(ask<proto.CreateResponse>((done) => client.create(request, done))).rejects.toThrow(
    "the update was cancelled",
  );
});

test("a resource's own timeout ends it", async () => {
  started = undefined;
  const request = new proto.CreateRequest()
    .setUrn(URN)
    .setTimeout(0.05)
    .setProperties(struct({ label: "wait" }));
  await expect(ask<proto.CreateResponse>((done) => client.create(request, done))).rejects.toThrow(
    "the timeout of 0.05 s has passed",
  );
});

test("a difference is reported with its kind", async () => {
  const request = new proto.DiffRequest()
    .setUrn(URN)
    .setOlds(struct({ label: "a", made: "m" }))
    .setOldInputs(struct({ label: "a", password: "p" }))
    .setNews(struct({ label: "b", size: 5 }));
  const diff = await ask<proto.DiffResponse>((done) => client.diff(request, done));
  const { UPDATE_REPLACE, ADD, DELETE } = proto.PropertyDiff.Kind;
  const details = diff.getDetaileddiffMap();
  const kinds = ["label", "size", "password", "made"].map((name) => details.get(name)?.getKind());
  expect(kinds).toEqual([UPDATE_REPLACE, ADD, DELETE, undefined]);
  expect(diff.getReplacesList()).toEqual(["label"]);
  const none = new proto.DiffRequest()
    .setUrn(URN)
    .setOlds(struct({ label: "a", made: "m" }))
    .setOldInputs(struct({ label: "a" }))
    .setNews(struct({ label: "a", size: 1 }));
  expect((await ask<proto.DiffResponse>((done) => client.diff(none, done))).getChanges()).toBe(
    proto.DiffResponse.DiffChanges.DIFF_NONE,
  );
});

test("settings are checked, and some replace the provider", async () => {
  const news = struct({ region: "here", version: "1.2.3", planet: "mars" });
  const checked = await ask<proto.CheckResponse>((done) =>
    client.checkConfig(new proto.CheckRequest().setNews(news), done),
  );
  expect(checked.getFailuresList().map((failure) => failure.getProperty())).toEqual(["planet"]);
  const diff = await ask<proto.DiffResponse>((done) =>
    client.diffConfig(
      new proto.DiffRequest().setOlds(struct({ region: "there" })).setNews(struct({ region: "here" })),
      done,
    ),
  );
  expect(diff.getReplacesList()).toEqual(["region"]);
});

test("functions answer, keep secrets and do not compute with what is unknown", async () => {
  const invoke = (args: Struct) =>
    ask<proto.InvokeResponse>((done) =>
      client.invoke(new proto.InvokeRequest().setTok("toy:index:ask").setArgs(args), done),
    );
  expect(opened((await invoke(struct({ question: "q" }, ["question"]))).getReturn())).toEqual({
    values: { question: "q", answer: "q!" },
    secrets: new Set(["question"]),
  });
  expect(opened((await invoke(struct({ question: UNKNOWN }))).getReturn()).values).toEqual({
    question: UNKNOWN,
    answer: UNKNOWN,
  });
  expect((await invoke(struct({}))).getFailuresList().map((failure) => failure.getReason())).toEqual([
    "question is required: a string.",
  ]);
});

test("unknown types and functions are named with the way to the official provider", async () => {
  const request = new proto.CheckRequest().setUrn("urn:pulumi:dev::project::toy:index:Other::name");
  await expect(ask<proto.CheckResponse>((done) => client.check(request, done))).rejects.toThrow(
    /no resource type "toy:index:Other".*pulumi plugin install resource toy 1\.2\.3/s,
  );
  await expect(
    ask<proto.InvokeResponse>((done) =>
      client.invoke(new proto.InvokeRequest().setTok("toy:index:nothing"), done),
    ),
  ).rejects.toThrow('no function "toy:index:nothing"');
});

test("nothing can be imported that only a state knows", async () => {
  await expect(
    ask<proto.ReadResponse>((done) => client.read(new proto.ReadRequest().setUrn(URN).setId("x"), done)),
  ).rejects.toThrow('cannot be imported by its id "x"');
});

test.each([
  [["127.0.0.1:5"], "127.0.0.1:5"],
  [["--logtostderr", "-v=9", "--tracing", "http://x", "127.0.0.1:5"], "127.0.0.1:5"],
  [[], undefined],
])("the engine's address in %j is %s", (args, address) => {
  expect(engineAddress(args)).toBe(address);
});

test("the type of a nested resource is read from its URN", () => {
  expect(typeOf(new proto.CheckRequest().setUrn(URN))).toBe("toy:index:Thing");
});

test.each([
  [1, 1, true],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [UNKNOWN, UNKNOWN, false],
  [[1], [1, 2], false],
])("%# the same: %s", (one, other, expected) => {
  expect(same(one, other)).toBe(expected);
});

test("longer secrets are taken out first, and very short ones not at all", () => {
  expect(redact("pass=abcdef abc a", ["abc", "abcdef\n", "a"])).toBe("pass=[secret] [secret] a");
});
