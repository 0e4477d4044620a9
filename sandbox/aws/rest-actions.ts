interface Named {
  action: string;
  parameters: Record<string, string>;
}

// What a query such as `?versioning` is about; GET, PUT and DELETE of it follow from the method.
const S3_SETTINGS: Readonly<Record<string, string>> = {
  accelerate: "BucketAccelerateConfiguration",
  acl: "BucketAcl",
  cors: "BucketCors",
  encryption: "BucketEncryption",
  lifecycle: "BucketLifecycleConfiguration",
  location: "BucketLocation",
  logging: "BucketLogging",
  notification: "BucketNotificationConfiguration",
  "object-lock": "ObjectLockConfiguration",
  ownershipControls: "BucketOwnershipControls",
  policy: "BucketPolicy",
  policyStatus: "BucketPolicyStatus",
  publicAccessBlock: "PublicAccessBlock",
  replication: "BucketReplication",
  requestPayment: "BucketRequestPayment",
  tagging: "BucketTagging",
  versioning: "BucketVersioning",
  website: "BucketWebsite",
};
const S3_OBJECT: Readonly<Record<string, string>> = {
  GET: "GetObject",
  HEAD: "HeadObject",
  PUT: "PutObject",
  POST: "PostObject",
  DELETE: "DeleteObject",
};
const S3_BUCKET: Readonly<Record<string, string>> = {
  GET: "ListObjects",
  HEAD: "HeadBucket",
  PUT: "CreateBucket",
  POST: "DeleteObjects",
  DELETE: "DeleteBucket",
};
const VERB: Readonly<Record<string, string>> = { GET: "Get", HEAD: "Get", PUT: "Put", DELETE: "Delete" };

/** Names a call of S3 (path style) as its API reference does. */
export function s3Action(method: string, target: string): Named {
  const [path = "", query = ""] = target.split("?");
  const [bucket = "", ...rest] = path.replace(/^\//, "").split("/");
  const key = rest.join("/");
  const parameters = { ...(bucket === "" ? {} : { Bucket: bucket }), ...(key === "" ? {} : { Key: key }) };
  if (bucket === "") return { action: "ListBuckets", parameters };
  const setting = [...new URLSearchParams(query).keys()].find((name) => name in S3_SETTINGS);
  if (key === "" && setting !== undefined) {
    return { action: `${VERB[method] ?? method}${S3_SETTINGS[setting] ?? ""}`, parameters };
  }
  const table = key === "" ? S3_BUCKET : S3_OBJECT;
  return { action: table[method] ?? `${method}Unknown`, parameters };
}

const ROUTE53: readonly (readonly [method: string, path: RegExp, action: string])[] = [
  ["POST", /^\/hostedzone$/, "CreateHostedZone"],
  ["GET", /^\/hostedzone$/, "ListHostedZones"],
  ["POST", /^\/hostedzone\/([^/]+)\/rrset$/, "ChangeResourceRecordSets"],
  ["GET", /^\/hostedzone\/([^/]+)\/rrset$/, "ListResourceRecordSets"],
  ["POST", /^\/hostedzone\/([^/]+)\/associatevpc$/, "AssociateVPCWithHostedZone"],
  ["POST", /^\/hostedzone\/([^/]+)\/disassociatevpc$/, "DisassociateVPCFromHostedZone"],
  ["GET", /^\/hostedzone\/([^/]+)$/, "GetHostedZone"],
  ["POST", /^\/hostedzone\/([^/]+)$/, "UpdateHostedZoneComment"],
  ["DELETE", /^\/hostedzone\/([^/]+)$/, "DeleteHostedZone"],
  ["GET", /^\/change\/([^/]+)$/, "GetChange"],
  ["GET", /^\/tags\/[^/]+\/([^/]+)$/, "ListTagsForResource"],
  ["POST", /^\/tags\/[^/]+\/([^/]+)$/, "ChangeTagsForResource"],
  ["GET", /^\/hostedzonesbyname$/, "ListHostedZonesByName"],
];

/** Names a call of Route 53 as its API reference does. */
export function route53Action(method: string, target: string): Named {
  const path = (target.split("?")[0] ?? "").replace(/^\/2013-04-01/, "").replace(/\/$/, "");
  for (const [wanted, pattern, action] of ROUTE53) {
    const found = wanted === method ? pattern.exec(path) : null;
    if (found !== null) return { action, parameters: found[1] === undefined ? {} : { Id: found[1] } };
  }
  return { action: `${VERB[method] ?? method}${path.replaceAll("/", "-")}`, parameters: {} };
}
