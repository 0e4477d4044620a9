import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as wire from "@pulumi/pulumi/proto/analyzer_pb";
import { AnalyzerService } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { policies } from "../policies";
import { shortenResource, shortenStack, skipUnreadProperties } from "./skip-unread-properties";
import { addedService } from "./testing/added-service";

const long = "x".repeat(300);
const TYPES = new Set(["aws:ec2/instance:Instance"]);

function filled<Message extends wire.AnalyzeRequest | wire.AnalyzerResource>(
  message: Message,
  type: string,
): Message {
  message.setType(type);
  message.setName("a name");
  message.setUrn(`urn:pulumi:dev::test::${type}::${long}`);
  message.setProperties(Struct.fromJavaScript({ text: long, nested: { list: [1, true, null] } }));
  const options = new wire.AnalyzerResourceOptions();
  options.setProtect(true);
  message.setOptions(options);
  return message;
}
const propertiesOf = (message: wire.AnalyzeRequest | wire.AnalyzerResource): unknown =>
  message.getProperties()?.toJavaScript();

test("a resource that a policy evaluates is read in full", () => {
  const request = filled(new wire.AnalyzeRequest(), "aws:ec2/instance:Instance");
  const bytes = Buffer.from(request.serializeBinary());
  expect(shortenResource(bytes, TYPES)).toBe(bytes);
});

test("another keeps all but its properties", () => {
  const request = filled(new wire.AnalyzeRequest(), "aws:ec2/vpc:Vpc");
  const short = shortenResource(Buffer.from(request.serializeBinary()), TYPES);
  expect(short.includes("nested")).toBe(false);
  const read = wire.AnalyzeRequest.deserializeBinary(short);
  expect(propertiesOf(read)).toEqual({});
  request.setProperties(new Struct());
  expect(read.toObject()).toEqual(request.toObject());
});

test("a stack keeps every resource, and the properties of those that are evaluated", () => {
  const request = new wire.AnalyzeStackRequest();
  const types = ["aws:ec2/vpc:Vpc", "aws:ec2/instance:Instance", "kubernetes:core/v1:Secret"];
  request.setResourcesList(types.map((type) => filled(new wire.AnalyzerResource(), type)));
  const read = wire.AnalyzeStackRequest.deserializeBinary(
    shortenStack(Buffer.from(request.serializeBinary()), TYPES),
  ).getResourcesList();
  expect(read.map((resource) => resource.getType())).toEqual(types);
  expect(read.map(propertiesOf)).toEqual([{}, { text: long, nested: { list: [1, true, null] } }, {}]);
  expect(read.every((resource) => resource.getOptions()?.getProtect() === true)).toBe(true);
});

test("is needed: the SDK reads the properties of every request", () => {
  const request = filled(new wire.AnalyzeRequest(), "aws:ec2/vpc:Vpc");
  const read = AnalyzerService.analyze.requestDeserialize(Buffer.from(request.serializeBinary()));
  expect(propertiesOf(read)).toEqual({ text: long, nested: { list: [1, true, null] } });
});

test("works: the server reads requests without them", () => {
  skipUnreadProperties(policies.filter(({ name }) => name === "aws-ebs-volume-encrypted"));
  const { analyze } = addedService(AnalyzerService, {});
  const request = filled(new wire.AnalyzeRequest(), "aws:ec2/vpc:Vpc");
  const read = analyze?.requestDeserialize(Buffer.from(request.serializeBinary())) as wire.AnalyzeRequest;
  expect(propertiesOf(read)).toEqual({});
});

test("a request that is cut off is an error", () => {
  const bytes = Buffer.from([0x12, 0x80]);
  expect(() => shortenResource(bytes, TYPES)).toThrow();
});

/** Otherwise a policy would read a resource whose properties were skipped. */
test("every type that the source of a policy names is listed in types or alsoReads", () => {
  const read = new Set(policies.flatMap(({ types, alsoReads = [] }) => [...types, ...alsoReads]));
  const folder = path.join(__dirname, "..");
  const named = ["aws", "kubernetes", "product"]
    .flatMap((pack) =>
      readdirSync(path.join(folder, pack), { recursive: true, encoding: "utf8" }).map((file) =>
        path.join(folder, pack, file),
      ),
    )
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(file, "utf8").matchAll(
        /"((?:aws|kubernetes|fleetwright|tls|command):[\w.-]+\/?[\w.]*:\w+)"/g,
      ),
    ])
    .map(([, type = ""]) => type);
  expect(named.length).toBeGreaterThan(50);
  expect([...new Set(named)].filter((type) => !read.has(type))).toEqual([]);
});
