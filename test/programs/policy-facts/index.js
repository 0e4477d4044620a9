"use strict";
const { PolicyPack } = require("@pulumi/policy");
const pulumi = require("@pulumi/pulumi");
const { isConfigSecret } = require("@pulumi/pulumi/runtime/config");

new PolicyPack("facts-pack", {
  policies: [
    {
      name: "tell-facts",
      description: "Reports what the pack got from the language host.",
      enforcementLevel: "advisory",
      validateResource: (args, reportViolation) => {
        if (args.type !== "pulumi:index:Stash") {
          return;
        }
        const facts = {
          organization: pulumi.getOrganization(),
          project: pulumi.getProject(),
          stack: pulumi.getStack(),
          dryRun: pulumi.runtime.isDryRun(),
          greeting: new pulumi.Config("facts").get("greeting"),
          secretKeys: ["facts:greeting", "facts:token"].filter(isConfigSecret),
          workingDirectory: process.cwd(),
        };
        reportViolation(`facts=${JSON.stringify(facts)}`);
      },
    },
  ],
});
