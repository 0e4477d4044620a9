"use strict";
const aws = require("@pulumi/aws");

new aws.iam.RolePolicy("all", {
  role: "nodes",
  policy: JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }],
  }),
});
