import { type Cases, type Example, UNKNOWN } from "../../testing/cases";
import {
  AUTO_SCALING_GROUP,
  INSTANCE,
  LAUNCH_TEMPLATE,
  NODE_GROUP,
  VOLUME,
} from "../../aws/shared/resource-types";
import { KEY_PAIR, USER } from "../ssh/key-strength";
import { STATE_VOLUME } from "../shared/resource-types";

const state = (index: number, zone: string): Example => ({
  $type: VOLUME,
  $name: `volume-${index}`,
  tags: { "fleetwright.dev/state-of": "main" },
  availabilityZone: zone,
});
const tags = { "fleetwright.dev/cluster": "main", owner: "platform", "cost-centre": "42" };
const ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOwFe5W87Abu/SaapW03X4r98zjxPnQepO97fEkQsbeN";

/** A public RSA key with a modulus of so many bits, as far as its form goes. */
function rsa(bits: number): string {
  const field = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(bits / 8, 0xff)]);
  const key = Buffer.concat([Buffer.from("ssh-rsa"), Buffer.from([1, 0, 1]), modulus].map(field));
  return `ssh-rsa ${key.toString("base64")} jane`;
}
const GROUP = { $type: AUTO_SCALING_GROUP, $name: "pool", $from: { launchTemplate: ["template"] } };
const TEMPLATE = {
  $type: LAUNCH_TEMPLATE,
  $name: "template",
  instanceType: "m7i.large",
  blockDeviceMappings: [{ ebs: { volumeType: "gp3", volumeSize: 40 } }],
};

/** Examples for the policies of this pack. */
export const CASES: Readonly<Record<string, Cases>> = {
  "product-state-volume-protected": {
    passes: [
      { tags: { "fleetwright.dev/state-of": "main" }, $protect: true },
      { tags: { Name: "scratch" } },
      { $type: STATE_VOLUME, retain: true },
      { $type: STATE_VOLUME },
    ],
    fails: [
      [{ tags: { "fleetwright.dev/state-of": "main" } }, "the option protect is not set"],
      [{ $type: STATE_VOLUME, retain: false }, "retain is false"],
    ],
    unknown: [{ tags: UNKNOWN }],
  },
  "product-state-quorum": {
    passes: [[state(0, "a"), state(1, "b"), state(2, "c")], [{ $type: VOLUME, tags: {} }]],
    fails: [
      [[state(0, "a"), state(1, "b")], 'etcd of "main" is run by 2 members'],
      [[state(0, "a")], "run by one member"],
      [[state(0, "a"), state(1, "a"), state(2, "b")], 'run by 2 of 3 members in zone "a"'],
    ],
    unknown: [[state(0, "a"), state(1, "b"), state(2, UNKNOWN)]],
  },
  "product-state-etcd-snapshots": {
    passes: [{ etcdSnapshots: { bucket: "snapshots" } }],
    fails: [
      [{}, "etcdSnapshots.bucket is not set"],
      [{ etcdSnapshots: { bucket: "snapshots", insecure: true } }, "etcdSnapshots.insecure is true"],
      [{ etcdSnapshots: { bucket: "snapshots" }, snapshotVolumes: false }, "snapshotVolumes is false"],
    ],
    unknown: [{ etcdSnapshots: { bucket: UNKNOWN } }],
  },
  "product-cluster-hardened": {
    passes: [{}, { hardening: { cis: true } }],
    fails: [
      [{ hardening: { cis: false } }, "hardening.cis is false"],
      [{ hardening: { audit: false } }, "hardening.audit is false"],
    ],
    unknown: [{ hardening: UNKNOWN }],
  },
  "product-cluster-version-supported": {
    passes: [{ version: "v1.35.7+rke2r1", distribution: "rke2" }],
    fails: [
      [{ version: "v1.28.9+rke2r1" }, "version is"],
      [{ version: "v1.30.14-rancher1-1", distribution: "rke" }, 'distribution is "rke"'],
    ],
    unknown: [{ version: UNKNOWN }],
  },
  "product-cluster-node-limit": {
    passes: [[{ $type: INSTANCE }, { $type: AUTO_SCALING_GROUP, maxSize: 49 }]],
    fails: [[[{ $type: INSTANCE }, { $type: NODE_GROUP, scalingConfig: { maxSize: 50 } }], "up to 51"]],
    unknown: [[{ $type: AUTO_SCALING_GROUP, maxSize: UNKNOWN }]],
  },
  "product-cluster-cost-ceiling": {
    passes: [[{ ...GROUP, maxSize: 20 }, TEMPLATE], [{ $type: VOLUME, type: "gp3", size: 20_000 }]],
    fails: [
      [
        [{ ...GROUP, maxSize: 40 }, TEMPLATE],
        "about $3071 (list prices of us-east-1 as published on 2026-01-19)",
      ],
      [
        [{ $type: INSTANCE, instanceType: "m7i.48xlarge", rootBlockDevice: { volumeSize: 8 } }],
        "the monthly cost is about $7065",
      ],
      [[{ $type: VOLUME, type: "gp3", size: 30_000 }], "about $2400"],
    ],
    unknown: [[{ $type: INSTANCE, instanceType: "x9.huge" }], [{ $type: INSTANCE, instanceType: UNKNOWN }]],
  },
  "product-placement-regions": {
    passes: [
      { $provider: { region: "eu-central-1" } },
      { region: "us-east-1", $provider: { region: "ap-south-1" } },
    ],
    fails: [[{ $provider: { region: "ap-south-1" } }, 'the region is "ap-south-1"']],
    unknown: [{ region: UNKNOWN }, {}],
  },
  "product-placement-instance-types": {
    passes: [
      { instanceType: "m7i.large" },
      { $type: NODE_GROUP, instanceTypes: ["c7g.xlarge", "t3.medium"] },
    ],
    fails: [
      [{ instanceType: "p5.48xlarge" }, 'instanceType is "p5.48xlarge"'],
      [{ $type: NODE_GROUP, instanceTypes: [UNKNOWN, "x1.32xlarge"] }, "instanceTypes[1]"],
    ],
    unknown: [{ instanceType: UNKNOWN }],
  },
  "product-tags-required": {
    passes: [
      { tags: { ...tags, "fleetwright.dev/node-pool": "web" } },
      {
        $type: VOLUME,
        tags: { "fleetwright.dev/cluster": "main" },
        $provider: { defaultTags: '{"tags":{"owner":"a","cost-centre":"b"}}' },
      },
      {
        $type: AUTO_SCALING_GROUP,
        tags: Object.entries({ ...tags, "fleetwright.dev/node-pool": "web" }).map(([key, value]) => ({
          key,
          value,
        })),
      },
    ],
    fails: [
      [{ tags }, "Add fleetwright.dev/node-pool"],
      [{ $type: VOLUME, tags: { owner: "platform" } }, "tags is only owner"],
      [{ $type: VOLUME }, "tags is not set"],
    ],
    unknown: [{ $type: VOLUME, tags: UNKNOWN }],
  },
  "product-ssh-key-strength": {
    passes: [
      { algorithm: "ED25519" },
      { algorithm: "RSA", rsaBits: 4096 },
      { $type: KEY_PAIR, publicKey: ED25519 },
      { $type: KEY_PAIR, publicKey: rsa(3072) },
      { $type: USER, spec: { sshKeys: [{ key: ED25519, notAfter: "2999-01-01T00:00:00Z" }] } },
    ],
    fails: [
      [{ algorithm: "RSA" }, "rsaBits is not set"],
      [{ algorithm: "ECDSA", ecdsaCurve: "P224" }, 'ecdsaCurve is "P224"'],
      [{ $type: KEY_PAIR, publicKey: rsa(2048) }, "publicKey is an RSA key of 2048 bits"],
      [{ $type: KEY_PAIR, publicKey: "ssh-dss AAAA" }, "a DSA key"],
      [
        { $type: USER, spec: { sshKeys: [{ key: ED25519, notAfter: "2020-01-01T00:00:00Z" }] } },
        "spec.sshKeys[0].notAfter",
      ],
    ],
    unknown: [{ $type: KEY_PAIR, publicKey: UNKNOWN }],
  },
  "product-ssh-keys-unique": {
    passes: [
      [
        { $type: USER, $name: "jane", spec: { sshKeys: [{ key: `${ED25519} laptop` }] } },
        { $type: USER, $name: "joe", spec: { sshKeys: [{ key: rsa(4096) }] } },
      ],
    ],
    fails: [
      [
        [
          { $type: USER, $name: "jane", spec: { sshKeys: [{ key: `${ED25519} laptop` }] } },
          { $type: KEY_PAIR, $name: "joe", publicKey: ED25519 },
        ],
        'publicKey is also a key of "jane"',
      ],
    ],
    unknown: [[{ $type: KEY_PAIR, publicKey: UNKNOWN }]],
  },
  "product-service-not-open": {
    passes: [
      { metadata: { namespace: "fleetwright-system" }, spec: { type: "ClusterIP" } },
      { metadata: { namespace: "shop" }, spec: { type: "LoadBalancer" } },
      {
        metadata: { namespace: "fleetwright-system" },
        spec: { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"] },
      },
      {
        metadata: {
          namespace: "fleetwright-system",
          annotations: { "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal" },
        },
        spec: { type: "LoadBalancer" },
      },
    ],
    fails: [
      [
        { metadata: { namespace: "fleetwright-system" }, spec: { type: "LoadBalancer" } },
        "loadBalancerSourceRanges is not set",
      ],
      [
        {
          metadata: { namespace: "fleetwright-system" },
          spec: { type: "LoadBalancer", loadBalancerSourceRanges: ["0.0.0.0/0"] },
        },
        "loadBalancerSourceRanges[0]",
      ],
    ],
    unknown: [
      {
        metadata: { namespace: "fleetwright-system" },
        spec: { type: "LoadBalancer", loadBalancerSourceRanges: UNKNOWN },
      },
    ],
  },
};
