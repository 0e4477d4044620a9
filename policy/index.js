"use strict";

require("./start")(__dirname);
