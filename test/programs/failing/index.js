"use strict";
const pulumi = require("@pulumi/pulumi");

const how = new pulumi.Config().require("how");

switch (how) {
  case "throw":
    throw new Error("the sky fell down");
  case "throw-for-user":
    throw new pulumi.RunError("the sky is closed on Sundays");
  case "reject":
    Promise.reject(new Error("the promise was broken"));
    break;
  case "exit":
    process.exit(3);
    break;
  case "signal":
    process.kill(process.pid, "SIGKILL");
    break;
  default:
    throw new Error(`failing:how is ${how}`);
}
