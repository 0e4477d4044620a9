import { Server, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { BinaryReader, BinaryWriter } from "google-protobuf";

/** The numbers of fields, the same in a request of one resource and in a resource of a request of a stack. */
const TYPE = 1;
const PROPERTIES = 2;
/** The field of a request of a stack that holds its resources. */
const RESOURCES = 1;

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
  const kept: Buffer[] = [];
  const reader = new BinaryReader(message);
  for (let start = 0; reader.nextField(); start = reader.getCursor()) {
    const field = reader.getFieldNumber();
    if (field !== TYPE) reader.skipField();
    else if (types.has(reader.readString())) return message;
    if (field !== PROPERTIES) kept.push(message.subarray(start, reader.getCursor()));
  }
  // Empty properties, not none: the SDK reads them.
  const empty = new BinaryWriter();
  empty.writeBytes(PROPERTIES, new Uint8Array());
  return Buffer.concat([...kept, empty.getResultBuffer()]);
}

/** A request of a stack, whose resources of other types than these are without properties. */
export function lightStack(message: Buffer, types: ReadonlySet<string>): Buffer {
  const light = new BinaryWriter();
  const reader = new BinaryReader(message);
  while (reader.nextField()) {
    if (reader.getFieldNumber() === RESOURCES)
      light.writeBytes(RESOURCES, lightResource(Buffer.from(reader.readBytes()), types));
    else reader.skipField();
  }
  return Buffer.from(light.getResultBuffer());
}
