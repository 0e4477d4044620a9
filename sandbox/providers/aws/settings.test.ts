import { memberFailures } from "../shell/kind";
import { readSettings, SETTINGS } from "./settings";

it("reads settings as a program gives them", () => {
  const settings = readSettings(
    {
      region: "eu-central-1",
      accessKey: "a",
      secretKey: "b",
      token: "c",
      s3UsePathStyle: true,
      endpoints: [{ ec2: "http://one" }, { s3: "http://two" }],
      defaultTags: { tags: { a: "1" } },
      ignoreTags: { keys: ["k"], keyPrefixes: ["p/"] },
      maxRetries: 3,
    },
    {},
  );
  expect(settings).toMatchObject({
    region: "eu-central-1",
    credentials: { accessKeyId: "a", secretAccessKey: "b", sessionToken: "c" },
    endpoints: { ec2: "http://one", s3: "http://two" },
    s3UsePathStyle: true,
    maxRetries: 3,
    tags: { defaults: { a: "1" }, ignoredKeys: ["k"], ignoredPrefixes: ["p/"] },
  });
});

it("reads the same from a stack's config, where everything is text", () => {
  const settings = readSettings(
    {
      s3UsePathStyle: "true",
      endpoints: '[{"ec2":"http://one"}]',
      defaultTags: '{"tags":{"a":"1"}}',
      maxRetries: "3",
    },
    { AWS_REGION: "eu-west-1" },
  );
  expect(settings).toMatchObject({
    region: "eu-west-1",
    credentials: undefined,
    endpoints: { ec2: "http://one" },
    s3UsePathStyle: true,
    maxRetries: 3,
    tags: { defaults: { a: "1" } },
  });
});

it("refuses a setting that it would have to ignore", () => {
  expect(memberFailures(SETTINGS, { region: "x", skipRegionValidation: "true" })).toEqual([]);
  expect(memberFailures(SETTINGS, { assumeRoles: "[]" })).toMatchObject([{ property: "assumeRoles" }]);
});
