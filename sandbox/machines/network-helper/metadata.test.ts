import { answerMetadata } from "./metadata";
import { machineSpecFixture } from "../testing/machine-spec";

const metadata = { tokensRequired: true, hopLimit: 1, tagsEnabled: true };
const spec = machineSpecFixture({
  metadata,
  tags: { Name: "one" },
  authorizedKeys: ["ssh-ed25519 AAAA me", "ssh-ed25519 BBBB"],
  moreMetadata: { "security-groups": "nodes", "network/interfaces/macs/02:fa:0a:00:01:0a/vpc-id": "vpc-1" },
});

test.each([
  ["", "dynamic/\nmeta-data/"],
  ["meta-data/placement", "availability-zone\nregion"],
  ["meta-data/public-keys/", "0=me\n1=key-1"],
  ["meta-data/public-keys/1/openssh-key", "ssh-ed25519 BBBB\n"],
  ["meta-data/tags/instance/", "Name"],
  ["meta-data/security-groups", "nodes"],
  ["meta-data/network/interfaces/macs/02:fa:0a:00:01:0a/vpc-id", "vpc-1"],
  ["meta-data/network/interfaces/macs/02:fa:0a:00:01:0a/local-ipv4s", "10.0.1.10"],
  ["meta-data/local-hostname", "ip-10-0-1-10.eu-central-1.compute.internal"],
])("%s is answered", (path, text) => {
  expect(answerMetadata(spec, path)).toEqual({ kind: "text", text });
});

test.each([
  "user-data",
  "meta-data/iam/info",
  "meta-data/nothing",
  "meta-data/mac/more",
  "meta-data/toString",
])("%s is not there", (path) => {
  expect(answerMetadata(spec, path)).toEqual({ kind: "none" });
});

test("tags are shown only where that was asked for", () => {
  const hidden = machineSpecFixture({ tags: { Name: "one" } });
  expect(answerMetadata(hidden, "meta-data/tags/instance/Name")).toEqual({ kind: "none" });
});

test.each([
  ["eu-central-1", "aws", "amazonaws.com"],
  ["us-gov-west-1", "aws-us-gov", "amazonaws.com"],
  ["cn-north-1", "aws-cn", "amazonaws.com.cn"],
])("a machine in %s knows its partition", (region, partition, domain) => {
  const there = machineSpecFixture({ region });
  expect(answerMetadata(there, "meta-data/services/partition")).toEqual({ kind: "text", text: partition });
  expect(answerMetadata(there, "meta-data/services/domain")).toEqual({ kind: "text", text: domain });
});
