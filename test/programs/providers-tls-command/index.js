"use strict";

const command = require("@pulumi/command");
const pulumi = require("@pulumi/pulumi");
const tls = require("@pulumi/tls");

const config = new pulumi.Config();
const folder = config.require("folder");

const key = new tls.PrivateKey("key", { algorithm: "ED25519" });
const authorityKey = new tls.PrivateKey("authority", { algorithm: "ECDSA", ecdsaCurve: "P256" });
const authority = new tls.SelfSignedCert("authority", {
  privateKeyPem: authorityKey.privateKeyPem,
  subject: { commonName: "authority" },
  allowedUses: ["cert_signing"],
  isCaCertificate: true,
  validityPeriodHours: 24 * 365,
});
const request = new tls.CertRequest("server", {
  privateKeyPem: key.privateKeyPem,
  subject: { commonName: "server" },
  dnsNames: ["localhost"],
});
const certificate = new tls.LocallySignedCert("server", {
  caCertPem: authority.certPem,
  caPrivateKeyPem: authorityKey.privateKeyPem,
  certRequestPem: request.certRequestPem,
  allowedUses: ["server_auth"],
  validityPeriodHours: 100,
  earlyRenewalHours: config.getNumber("earlyRenewalHours") ?? 10,
});

const permission = new command.local.Command("permission", {
  create: `cat >> ${folder}/authorized`,
  stdin: key.publicKeyOpenssh,
});
const local = new command.local.Command("local", {
  create: `echo "local $VERSION $(cat | wc -c)" | tee -a ${folder}/local.log`,
  delete: `echo "deleted after $PULUMI_COMMAND_STDOUT" >> ${folder}/local.log`,
  stdin: config.requireSecret("token"),
  environment: { VERSION: config.get("version") ?? "1" },
  triggers: [config.get("trigger") ?? "none"],
});
const connection = {
  host: "127.0.0.1",
  port: config.requireNumber("port"),
  user: config.require("user"),
  privateKey: key.privateKeyOpenssh,
  hostKey: config.require("hostKey"),
  dialErrorLimit: config.getNumber("dialErrorLimit") ?? 5,
};
const remote = new command.remote.Command(
  "remote",
  {
    connection,
    create: pulumi.interpolate`echo remote ${certificate.keyAlgorithm ?? ""} | tee -a ${folder}/remote.log; test -n "$TOKEN"`,
    delete: `echo deleted >> ${folder}/remote.log`,
    environment: { TOKEN: config.requireSecret("token") },
  },
  { dependsOn: permission },
);
const copy = new command.remote.CopyToRemote("copy", {
  connection,
  source: new pulumi.asset.StringAsset("copied text"),
  remotePath: pulumi.interpolate`${folder}/copies/${remote.stdout.apply((text) => text.length)}.txt`,
});

if (config.get("sleep") !== undefined) {
  new command.local.Command(
    "sleep",
    { create: `echo $$ > ${folder}/pid; exec sleep 1000` },
    { dependsOn: copy },
  );
}
if (config.get("wrong") === "property") {
  new tls.PrivateKey(
    "wrong",
    { algorithm: "RSA" },
    { transformations: [({ props }) => ({ props: { ...props, size: 1 }, opts: {} })] },
  );
}
if (config.get("wrong") === "type") {
  new pulumi.CustomResource(
    "tls:index/magic:Magic",
    "wrong",
    {},
    { version: require("@pulumi/tls/package.json").version },
  );
}

exports.publicKey = key.publicKeyOpenssh;
exports.samePublicKey = tls.getPublicKeyOutput({ privateKeyPem: key.privateKeyPem }).publicKeyOpenssh;
exports.local = local.stdout;
exports.remote = remote.stdout;
exports.run = command.local.runOutput({ command: "echo run" }).stdout;
exports.serial = certificate.id;
exports.copied = copy.remotePath;
