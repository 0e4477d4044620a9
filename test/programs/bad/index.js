"use strict";
const pulumi = require("@pulumi/pulumi");

require(`./programs/${new pulumi.Config().require("program")}`);
