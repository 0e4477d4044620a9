"use strict";
const { PolicyPack } = require("@pulumi/policy");

new PolicyPack("advisory-pack", {
  policies: [
    {
      name: "no-forbidden-value",
      description: "A stash does not hold the word that the pack's configuration forbids.",
      enforcementLevel: "advisory",
      configSchema: { properties: { word: { type: "string", default: "forbidden" } } },
      validateResource: (args, reportViolation) => {
        const { word } = args.getConfig();
        if (args.type === "pulumi:index:Stash" && args.props.input === word) {
          reportViolation(`the stash holds the word "${word}"`);
        }
      },
    },
  ],
});
