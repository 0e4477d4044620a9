"use strict";

// As in docs/how-to/library.md, for the sandbox: without what it cannot have.

const fleetwright = require("fleetwright");

const network = new fleetwright.Network("shop", {
  cidr: "10.20.0.0/16",
  privateEndpoints: false,
  flowLogs: false,
});

const cluster = new fleetwright.RkeCluster("shop", {
  network: network.reference,
  version: "v1.35.4+rke2r1",
  login: { privateKey: fleetwright.newLoginKey("login") },
  bootstrap: true,
  servers: { count: 1, instanceType: "t3.medium", retain: false },
  hardening: { cis: false },
  snapshotVolumes: false,
  release: { url: "http://169.254.169.251:8080" },
  awsEndpoints: { ssm: "http://169.254.169.251:4566", autoScaling: "http://169.254.169.251:4566" },
  pools: [{ name: "web", count: 1, instanceType: "t3.medium" }],
  transform: { instance: { monitoring: true } },
});

exports.kubeconfig = cluster.kubeconfig;
exports.endpoint = cluster.endpoint;
