import { execFileSync } from "node:child_process";
import { quote, sandboxEnvironment, sandboxVariables, shellExports } from "./environment";
import { sandboxLayout } from "./layout";

const layout = sandboxLayout("/some where/it's", "blue");

test.each(["plain", "with space", "it's", 'double "quotes"', "$HOME `id` \\", "two\nlines", ""])(
  "a shell reads %j as it is",
  (text) => {
    expect(execFileSync("sh", ["-c", `printf %s ${quote(text)}`], { encoding: "utf8" })).toBe(text);
  },
);

test("the exports set every variable, whatever the path is called", () => {
  const script = `${shellExports(layout)}\nenv -0`;
  const output = execFileSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: "/usr/bin:/bin" } });
  const env = Object.fromEntries(
    output.split("\0").map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );
  expect(env).toMatchObject(sandboxVariables(layout));
  expect(env.PATH).toBe("/some where/it's/.sandbox/blue/bin:/usr/bin:/bin");
});

test("exporting twice does not grow PATH", () => {
  const script = `${shellExports(layout)}\n${shellExports(layout)}\nprintf %s "$PATH"`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: "/usr/bin:/bin" } })).toBe(
    "/some where/it's/.sandbox/blue/bin:/usr/bin:/bin",
  );
});

test.each([
  [{ PATH: "/usr/bin:/bin" }, "fleetwright"],
  [{ PATH: "/usr/bin:/bin", USER: "ada" }, "ada"],
])("the engine always has a user's name: %j", (env, user) => {
  const script = `${shellExports(layout)}\nprintf %s "$USER"`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8", env })).toBe(user);
  expect(sandboxEnvironment(layout, undefined, env).USER).toBe(user);
});

test("AWS's tools are led to the sandbox, and away from a person's own account", () => {
  const aws = {
    endpoint: "http://127.0.0.1:4566",
    region: "eu-central-1",
    images: { FLEETWRIGHT_COORDINATOR_IMAGE: "registry.test/coordinator@sha256:1" },
  };
  const own = {
    PATH: "/bin:/usr/bin",
    AWS_PROFILE: "prod",
    AWS_SESSION_TOKEN: "t",
    AWS_ACCESS_KEY_ID: "AKIAREAL",
  };
  const script = `${shellExports(layout, aws)}\nprintf '%s|%s|%s' "$AWS_PROFILE$AWS_SESSION_TOKEN" "$AWS_ENDPOINT_URL" "$AWS_ACCESS_KEY_ID"`;
  const expected = "|http://127.0.0.1:4566|AKIAIOSFODNN7EXAMPLE";
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8", env: own })).toBe(expected);
  const env = sandboxEnvironment(layout, aws, own);
  expect(env).toMatchObject({
    ...aws.images,
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  });
  expect(env).not.toHaveProperty("AWS_PROFILE");
});
