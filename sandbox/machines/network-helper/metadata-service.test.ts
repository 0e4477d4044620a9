import { MetadataService, type MetadataRequest } from "./metadata-service";
import { machineSpecFixture } from "../testing/machine-spec";

const asked = (
  path: string,
  headers: Record<string, string> = {},
  more: Partial<MetadataRequest> = {},
): MetadataRequest => ({
  ...{ method: "GET", path, hops: 1 },
  header: (name) => headers[name],
  ...more,
});
const ttl = (seconds: string) => ({ "x-aws-ec2-metadata-token-ttl-seconds": seconds });
const put = (headers: Record<string, string>, hops = 1) =>
  asked("/latest/api/token", headers, { method: "PUT", hops });

test("a token is valid for its machine until it expires", () => {
  let now = 0;
  const service = new MetadataService(() => now);
  const spec = machineSpecFixture();
  const token = service.answer(spec, put(ttl("10")))?.text ?? "";
  const get = asked("/latest/meta-data/instance-id", { "x-aws-ec2-metadata-token": token });
  expect(service.answer(spec, get)).toEqual({ status: 200, text: "i-0a1" });
  expect(service.answer(machineSpecFixture({ id: "i-0a2" }), get)?.status).toBe(401);
  now = 10_000;
  expect(service.answer(spec, get)?.status).toBe(401);
});

test.each([
  ["a missing time to live", put({}), 400],
  ["a time to live that is not a whole number", put(ttl("1.5")), 400],
  ["a time to live that is too long", put(ttl("21601")), 400],
  ["a request through a proxy", put({ ...ttl("60"), "x-forwarded-for": "10.0.0.1" }), 403],
  ["a token request that is not a PUT", asked("/latest/api/token", ttl("60")), 405],
  ["a wrong token", asked("/latest/meta-data/", { "x-aws-ec2-metadata-token": "no" }), 401],
])("refuses: %s", (_name, request, status) => {
  expect(new MetadataService().answer(machineSpecFixture(), request)?.status).toBe(status);
});

test("a token answer is dropped beyond the hop limit; version 1 answers where it is allowed", () => {
  const service = new MetadataService();
  const spec = machineSpecFixture({ metadata: { tokensRequired: false, hopLimit: 1, tagsEnabled: false } });
  expect(service.answer(spec, put(ttl("60"), 2))).toBeUndefined();
  expect(service.answer(spec, asked("/latest/meta-data/local-ipv4", {}, { hops: 2 }))?.text).toBe(
    "10.0.1.10",
  );
});

test("a disabled service refuses everything", () => {
  const metadata = { enabled: false, tokensRequired: false, hopLimit: 1, tagsEnabled: false };
  expect(new MetadataService().answer(machineSpecFixture({ metadata }), put(ttl("60")))?.status).toBe(403);
});
