import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { SECRET_KEY, SECRET_MARK } from "../core/property";
import { behindProxies, keepSecrets } from "./keep-secrets";

type Read = (struct: Struct, keepSecrets: boolean) => Record<string, unknown>;

/** The SDK's function, before or after the patch. */
const read: Read = (...given) =>
  jest
    .requireActual<{ deserializeProperties: Read }>("@pulumi/policy/deserialize")
    .deserializeProperties(...given);
const resource = () => Struct.fromJavaScript({ password: { [SECRET_KEY]: SECRET_MARK, value: "hush" } });

test("is needed until it is applied: the SDK unwraps secrets", () => {
  expect(read(resource(), false)).toEqual({ password: "hush" });
});

test("works: secrets stay wrapped, and a resource is read once except for remediations", () => {
  keepSecrets();
  const struct = resource();
  const first = read(struct, false);
  expect(behindProxies(first).password).toMatchObject({ value: "hush" });
  expect(read(struct, false)).toBe(first);
  expect(read(struct, true)).not.toBe(first);
});
