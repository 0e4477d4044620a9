import { AnalyzerService } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import {
  AnalyzeRequest,
  AnalyzerResourceOptions,
  ConfigureAnalyzerRequest,
  EnforcementLevel,
  PolicyConfig,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as sdk from "@pulumi/policy/server";
import { policies } from "../policies";
import { runRelevantPoliciesOnly } from "./relevant-policies-only";
import { addedService, type RegisteredMethod } from "./testing/added-service";

const asked: string[] = [];
let service: Readonly<Record<string, RegisteredMethod>>;
beforeAll(() => {
  runRelevantPoliciesOnly(
    "pack",
    policies,
    policies.map(({ name }) => ({ name, description: "", validateResource: () => void asked.push(name) })),
  );
  const passOn = (name: string) => () => asked.push(name);
  service = addedService(AnalyzerService, {
    analyze: passOn("analyze"),
    remediate: passOn("remediate"),
    configure: passOn("configure"),
  });
});
beforeEach(() => (asked.length = 0));

function requestFor(type: string): AnalyzeRequest {
  const request = new AnalyzeRequest();
  request.setType(type);
  request.setProperties(new Struct());
  request.setOptions(new AnalyzerResourceOptions());
  return request;
}

/** Sends a request; a method of the SDK's that is only noted in `asked` gives no answer. */
async function ask(method: string, type: string): Promise<unknown> {
  let answered: unknown;
  service[method]?.handle({ request: requestFor(type) }, (_, response) => (answered = response));
  await new Promise(setImmediate);
  return answered;
}

function configure(level: EnforcementLevel): void {
  const request = new ConfigureAnalyzerRequest();
  const config = new PolicyConfig();
  config.setEnforcementlevel(level);
  request.getPolicyconfigMap().set("aws-kms-key-rotation", config);
  service.configure?.handle({ request }, () => {});
}

test("is needed: the SDK calls a policy for every type", async () => {
  const { makeAnalyzeRpcFun } = sdk as unknown as Record<
    "makeAnalyzeRpcFun",
    (...given: unknown[]) => (...given: unknown[]) => void
  >;
  const validateResource = jest.fn();
  const analyze = makeAnalyzeRpcFun("pack", "1.0.0", "mandatory", [
    { name: "any", description: "", validateResource },
  ]);
  await new Promise((resolve) => analyze({ request: requestFor("aws:s3/bucket:Bucket") }, resolve));
  expect(validateResource).toHaveBeenCalled();
});

test("works: only the policies for the type of a resource run", async () => {
  expect(await ask("analyze", "random:index/randomPet:RandomPet")).toBeDefined();
  expect(asked).toEqual([]);
  expect(await ask("analyze", "aws:kms/key:Key")).toBeDefined();
  expect(asked).toEqual(["aws-kms-key-rotation", "product-tags-required"]);
});

test("works: remediations run only where a policy is set to remediate", async () => {
  configure(EnforcementLevel.MANDATORY);
  expect(await ask("remediate", "aws:kms/key:Key")).toBeDefined();
  configure(EnforcementLevel.REMEDIATE);
  expect(await ask("remediate", "aws:kms/key:Key")).toBeUndefined();
  expect(asked).toEqual(["configure", "configure", "remediate"]);
  const message = Buffer.from(requestFor("aws:kms/key:Key").serializeBinary());
  const read = service.remediate?.requestDeserialize(message) as AnalyzeRequest;
  expect(read.getType()).toBe("aws:kms/key:Key");
});
