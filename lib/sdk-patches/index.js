"use strict";

// Patches of Pulumi's SDK for our program, one per file. Node loads them before the SDK (nodeargs in Pulumi.yaml).

require("./load-when-used");
require("./plain-error-inspection");
require("./skip-promise-stacks");
