"use strict";
const pulumi = require("@pulumi/pulumi");
const { isConfigSecret } = require("@pulumi/pulumi/runtime/config");

const config = new pulumi.Config();
const dryRun = pulumi.runtime.isDryRun();

new pulumi.Stash("kept", { input: config.get("kept") ?? "nothing" });
console.log(`this is ${dryRun ? "a preview" : "an update"}`);

module.exports = {
  organization: pulumi.getOrganization(),
  project: pulumi.getProject(),
  stack: pulumi.getStack(),
  rootDirectory: pulumi.runtime.getRootDirectory(),
  workingDirectory: process.cwd(),
  parallel: process.env.PULUMI_NODEJS_PARALLEL,
  dryRun,
  greeting: config.get("greeting") ?? "",
  nested: config.getObject("nested") ?? {},
  token: config.getSecret("token"),
  tokenIsSecret: pulumi.isSecret(config.getSecret("token")),
  // What the host says about the keys, not what the program makes of the values.
  secretKeys: ["facts:greeting", "facts:token"].filter(isConfigSecret),
  title: process.title,
  nodeArguments: process.execArgv,
};
