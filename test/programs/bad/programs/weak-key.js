"use strict";
const tls = require("@pulumi/tls");

new tls.PrivateKey("login", { algorithm: "RSA", rsaBits: 2048 });
