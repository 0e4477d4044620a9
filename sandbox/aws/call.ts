import { isObject, parseJson } from "../../lib/json";
import type { RawRequest } from "./backend";
import { dlmAction } from "./dlm/routes";
import { eksAction } from "./eks/routes";
import { route53Action, s3Action } from "./rest-actions";

/** How a service writes its parameters and errors. */
export type Protocol = "ec2" | "query" | "json" | "rest-json" | "rest-xml";

/** One call of AWS's API, understood as far as rules and the ledger need it. */
export interface Call {
  service: string;
  region: string;
  action: string;
  protocol: Protocol;
  /** Query protocols: as sent (`InstanceId.1`). JSON: the body. REST: what the path holds, and the body. */
  parameters: Readonly<Record<string, unknown>>;
  /** Whether it may change something. */
  mutating: boolean;
  raw: RawRequest;
}

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  ec2: "ec2",
  iam: "query",
  sts: "query",
  elasticloadbalancing: "query",
  autoscaling: "query",
  kms: "json",
  ssm: "json",
  logs: "json",
  eks: "rest-json",
  dlm: "rest-json",
  s3: "rest-xml",
  route53: "rest-xml",
};

const READING =
  /^(Describe|Get|List|Head|Lookup|Search|Filter|Simulate|Decode|Select|Test|Assume|Encrypt|Decrypt|ReEncrypt|Generate|Sign|Verify|Start(Query|LiveTail))/;

/** Understands a request by its signature's scope and its service's protocol. */
export function parseCall(raw: RawRequest): Call {
  const { service, region } = scopeOf(raw);
  const protocol = PROTOCOLS[service] ?? "json";
  const { action, parameters } = readers[protocol](raw, service);
  return { service, region, action, protocol, parameters, mutating: !READING.test(action), raw };
}

/** A parameter as text. */
export function text(call: Call, name: string): string | undefined {
  const value = call.parameters[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The values of a list parameter of the query protocols, in their order: `Name.1`, `Name.member.1`. */
export function list(call: Call, name: string): string[] {
  return Object.entries(call.parameters)
    .flatMap(([key, value]) => {
      const rest = key.startsWith(`${name}.`) ? key.slice(name.length + 1).replace(/^member\./, "") : "";
      return /^\d+$/.test(rest) && typeof value === "string" ? [{ index: Number(rest), value }] : [];
    })
    .sort((a, b) => a.index - b.index)
    .map(({ value }) => value);
}

/** The values of one field of a list of structures: `NetworkInterface.1.NetworkInterfaceId`. */
export function fields(call: Call, name: string, field: string): string[] {
  const pattern = new RegExp(`^${name}\\.(?:member\\.)?\\d+\\.${field.replaceAll(".", "\\.")}$`);
  return Object.entries(call.parameters).flatMap(([key, value]) =>
    pattern.test(key) && typeof value === "string" ? [value] : [],
  );
}

// Credential=KEY/20261116/eu-central-1/ec2/aws4_request
function scopeOf(raw: RawRequest): { service: string; region: string } {
  const header = raw.headers.authorization;
  const signed = typeof header === "string" ? header : "";
  const query = new URLSearchParams(raw.target.split("?")[1] ?? "");
  const credential = /Credential=([^,\s]+)/.exec(signed)?.[1] ?? query.get("X-Amz-Credential") ?? "";
  const [, , region, service] = credential.split("/");
  return { service: service ?? "s3", region: region ?? "us-east-1" };
}

type Reader = (raw: RawRequest, service: string) => Pick<Call, "action" | "parameters">;

function readQuery(raw: RawRequest): Pick<Call, "action" | "parameters"> {
  const parameters: Record<string, unknown> = {};
  const source = raw.body.length > 0 ? raw.body.toString() : (raw.target.split("?")[1] ?? "");
  for (const [key, value] of new URLSearchParams(source)) parameters[key] = value;
  return { action: typeof parameters.Action === "string" ? parameters.Action : "Unknown", parameters };
}

function readJson(raw: RawRequest): Pick<Call, "action" | "parameters"> {
  const target = raw.headers["x-amz-target"];
  return {
    action: typeof target === "string" ? (target.split(".").at(-1) ?? "Unknown") : "Unknown",
    parameters: bodyOf(raw),
  };
}

function bodyOf(raw: RawRequest): Record<string, unknown> {
  const body = parseJson(raw.body.toString());
  return isObject(body) ? body : {};
}

const readers: Record<Protocol, Reader> = {
  ec2: readQuery,
  query: readQuery,
  json: readJson,
  "rest-json": (raw, service) => {
    const { action, path } = (service === "dlm" ? dlmAction : eksAction)(raw.method, raw.target);
    return { action, parameters: { ...bodyOf(raw), ...path } };
  },
  "rest-xml": (raw, service) =>
    service === "route53" ? route53Action(raw.method, raw.target) : s3Action(raw.method, raw.target),
};
