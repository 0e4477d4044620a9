"use strict";

require("./start").start(__dirname);
