/**
 * Reads requests without the properties of resources that no policy reads.
 *
 * Reason: the SDK deserializes every request in full. For a stack with custom resource definitions that takes longer than
 * evaluating all policies.
 * Made for: @pulumi/policy 1.21.0, @pulumi/pulumi 3.248.0 (field numbers of analyzer.proto)
 */
import { BinaryReader, BinaryWriter } from "google-protobuf";
import type { Policy } from "../core/policy";
import { changeServices } from "./server-hook";

/** Field numbers of AnalyzeRequest and AnalyzerResource, which are the same. */
const TYPE = 1;
const PROPERTIES = 2;
/** The field of AnalyzeStackRequest that holds its resources. */
const RESOURCES = 1;

/** Lets the server skip the properties of resources that these policies do not read. */
export function skipUnreadProperties(policies: readonly Policy[]): void {
  const read = new Set(policies.flatMap(({ types, alsoReads = [] }) => [...types, ...alsoReads]));
  const remediated = new Set(
    policies.flatMap(({ types, remediate }) => (remediate === undefined ? [] : types)),
  );
  const shorten: Readonly<Record<string, (request: Buffer) => Buffer>> = {
    analyze: (request) => shortenResource(request, read),
    remediate: (request) => shortenResource(request, remediated),
    analyzeStack: (request) => shortenStack(request, read),
  };
  changeServices(({ definition, methods }) => {
    const entries = Object.entries(definition).map(([name, method]) => {
      const shortened = shorten[name];
      if (shortened === undefined) return [name, method] as const;
      const requestDeserialize = (request: Buffer): unknown => method.requestDeserialize(shortened(request));
      return [name, { ...method, requestDeserialize }] as const;
    });
    return { definition: Object.fromEntries(entries), methods };
  });
}

/** A message about one resource, without its properties unless its type is one of these. */
export function shortenResource(message: Buffer, types: ReadonlySet<string>): Buffer {
  const kept: Buffer[] = [];
  const reader = new BinaryReader(message);
  for (let start = 0; reader.nextField(); start = reader.getCursor()) {
    const field = reader.getFieldNumber();
    if (field !== TYPE) reader.skipField();
    else if (types.has(reader.readString())) return message;
    if (field !== PROPERTIES) kept.push(message.subarray(start, reader.getCursor()));
  }
  // Empty properties instead of none, because the SDK reads them.
  const empty = new BinaryWriter();
  empty.writeBytes(PROPERTIES, new Uint8Array());
  return Buffer.concat([...kept, empty.getResultBuffer()]);
}

/** A message about a stack, without the properties of resources whose type is not one of these. */
export function shortenStack(message: Buffer, types: ReadonlySet<string>): Buffer {
  const short = new BinaryWriter();
  const reader = new BinaryReader(message);
  while (reader.nextField()) {
    if (reader.getFieldNumber() === RESOURCES)
      short.writeBytes(RESOURCES, shortenResource(Buffer.from(reader.readBytes()), types));
    else reader.skipField();
  }
  return Buffer.from(short.getResultBuffer());
}
