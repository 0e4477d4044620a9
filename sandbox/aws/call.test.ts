import { errorCodeOf, refuse } from "./answer";
import type { RawRequest } from "./backend";
import { fields, list, parseCall, text } from "./call";

function request(service: string, parts: Partial<Omit<RawRequest, "body">> & { body?: string }): RawRequest {
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIA/20261116/eu-west-1/${service}/aws4_request, SignedHeaders=host`;
  return {
    method: parts.method ?? "POST",
    target: parts.target ?? "/",
    headers: { authorization, ...parts.headers },
    body: Buffer.from(parts.body ?? ""),
  };
}

test.each([
  ["ec2", { body: "Action=AttachVolume&VolumeId=vol-1" }, "AttachVolume", true],
  ["ec2", { body: "Action=DescribeVolumes" }, "DescribeVolumes", false],
  ["iam", { body: "Action=CreateRole&RoleName=r" }, "CreateRole", true],
  ["kms", { headers: { "x-amz-target": "TrentService.ListKeys" }, body: "{}" }, "ListKeys", false],
  ["kms", { headers: { "x-amz-target": "TrentService.CreateKey" }, body: "{}" }, "CreateKey", true],
  ["eks", { method: "GET", target: "/clusters/c" }, "DescribeCluster", false],
  ["eks", { method: "POST", target: "/clusters/c/updates" }, "UpdateClusterVersion", true],
  [
    "eks",
    {
      method: "POST",
      target: "/clusters/c/access-entries/arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr/access-policies",
    },
    "AssociateAccessPolicy",
    true,
  ],
  [
    "eks",
    { method: "DELETE", target: "/clusters/c/access-entries/arn:aws:iam::1:role/r" },
    "DeleteAccessEntry",
    true,
  ],
  ["s3", { method: "GET", target: "/" }, "ListBuckets", false],
  ["s3", { method: "PUT", target: "/bucket" }, "CreateBucket", true],
  ["s3", { method: "PUT", target: "/bucket?versioning=" }, "PutBucketVersioning", true],
  ["s3", { method: "GET", target: "/bucket/a/b?x-id=GetObject" }, "GetObject", false],
  [
    "route53",
    { method: "POST", target: "/2013-04-01/hostedzone/Z1/rrset/" },
    "ChangeResourceRecordSets",
    true,
  ],
  ["route53", { method: "GET", target: "/2013-04-01/hostedzone" }, "ListHostedZones", false],
])("%s %j is %s", (service, parts, action, mutating) => {
  expect(parseCall(request(service, parts))).toMatchObject({
    service,
    region: "eu-west-1",
    action,
    mutating,
  });
});

test("parameters are read from bodies and paths", () => {
  const run = parseCall(
    request("ec2", {
      body: "Action=RunInstances&InstanceId.2=b&InstanceId.1=a&NetworkInterface.1.NetworkInterfaceId=eni-1&NetworkInterface.2.SubnetId=s",
    }),
  );
  expect(list(run, "InstanceId")).toEqual(["a", "b"]);
  expect(fields(run, "NetworkInterface", "NetworkInterfaceId")).toEqual(["eni-1"]);
  const entry = parseCall(
    request("eks", { method: "GET", target: "/clusters/c/access-entries/arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr" }),
  );
  expect([text(entry, "clusterName"), text(entry, "principalArn")]).toEqual(["c", "arn:aws:iam::1:role/r"]);
});

test.each([["ec2"], ["iam"], ["kms"], ["eks"], ["s3"], ["route53"]])(
  "a refusal of %s is written so that its code can be read again",
  (service) => {
    const call = parseCall(request(service, { method: "GET", target: "/" }));
    const answer = refuse(call, { code: "Some.Code", message: "a < b & c" });
    expect([answer.status, errorCodeOf(call, answer)]).toEqual([400, "Some.Code"]);
    expect(answer.body.toString()).toMatch(/a (<|&lt;) b (&|&amp;) c/);
  },
);
