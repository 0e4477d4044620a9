import { Server, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";

/** The numbers of fields, the same in a request of one resource and in a resource of a request of a stack. */
const TYPE = 1;
const PROPERTIES = 2;
/** The field of a request of a stack that holds its resources. */
const RESOURCES = 1;
/** How a field of bytes begins on the wire. */
const BYTES = 2;

/**
 * Lets requests be read without the properties of resources that no policy names. Reading those of a stack's custom resource
 * definitions takes longer than judging the whole stack.
 */
export function readOnlyWhatIsJudged(types: ReadonlySet<string>, repairedTypes: ReadonlySet<string>): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the server that it is taken from
  const { addService } = Server.prototype;
  Server.prototype.addService = function (service: ServiceDefinition, methods: UntypedServiceImplementation) {
    const lighter: Readonly<Record<string, (request: Buffer) => Buffer>> = {
      analyze: (request) => lightResource(request, types),
      remediate: (request) => lightResource(request, repairedTypes),
      analyzeStack: (request) => lightStack(request, types),
    };
    const read = Object.entries(service).map(([name, method]) => {
      const lighten = lighter[name];
      if (lighten === undefined) return [name, method] as const;
      const requestDeserialize = (request: Buffer): unknown => method.requestDeserialize(lighten(request));
      return [name, { ...method, requestDeserialize }] as const;
    });
    addService.call(this, Object.fromEntries(read), methods);
  };
}

/** A request of one resource, or a resource of a stack; without properties if its type is not one of these. */
export function lightResource(message: Buffer, types: ReadonlySet<string>): Buffer {
  const fields = fieldsOf(message);
  const type = fields.find(({ number }) => number === TYPE);
  if (type === undefined || types.has(message.toString("utf8", type.from, type.to))) return message;
  const parts = fields.flatMap(({ number, start, to }) =>
    number === PROPERTIES ? [] : [message.subarray(start, to)],
  );
  // Empty properties, not none: the SDK reads them.
  return Buffer.concat([...parts, Buffer.from([(PROPERTIES << 3) | BYTES, 0])]);
}

/** A request of a stack, whose resources of other types than these are without properties. */
export function lightStack(message: Buffer, types: ReadonlySet<string>): Buffer {
  const parts = fieldsOf(message).flatMap(({ number, start, from, to }) => {
    if (number !== RESOURCES) return [message.subarray(start, to)];
    const resource = lightResource(message.subarray(from, to), types);
    return [Buffer.from([(RESOURCES << 3) | BYTES, ...varint(resource.length)]), resource];
  });
  return Buffer.concat(parts);
}

interface Field {
  number: number;
  /** Where the field begins, where its value does, and where both end. */
  start: number;
  from: number;
  to: number;
}

/** The fields of a message in protobuf's wire format. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length;) {
    const start = at;
    const [tag, afterTag] = readVarint(message, at);
    const [from, to] = valueAt(message, afterTag, tag & 7);
    fields.push({ number: tag >>> 3, start, from, to });
    at = to;
  }
  return fields;
}

function valueAt(message: Buffer, at: number, wireType: number): [from: number, to: number] {
  switch (wireType) {
    case 0:
      return [at, readVarint(message, at)[1]];
    case 1:
      return [at, at + 8];
    case BYTES: {
      const [length, from] = readVarint(message, at);
      return [from, from + length];
    }
    case 5:
      return [at, at + 4];
    default:
      throw new Error(`The engine's request has a field of wire type ${wireType}, which protobuf 3 has not.`);
  }
}

function readVarint(message: Buffer, at: number): [value: number, end: number] {
  let value = 0;
  for (let index = at, scale = 1; index < message.length; index++, scale *= 128) {
    const byte = message[index] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, index + 1];
  }
  throw new Error("The engine's request ends within a number.");
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
