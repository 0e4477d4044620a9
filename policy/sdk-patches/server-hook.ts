// The one hook into the SDK's gRPC server, which the patches in this folder share. The SDK (@pulumi/policy 1.21.0) keeps its
// server to itself; the methods that it registers pass through here first.
import { Server, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";

/** A gRPC service: what its methods are called and how messages are read, and the methods themselves. */
export interface Service {
  readonly definition: ServiceDefinition;
  readonly methods: UntypedServiceImplementation;
}

const changes: ((service: Service) => Service)[] = [];
let isHooked = false;

/** Changes every service that is added to a server from now on. Changes apply in the order in which they were given. */
export function changeServices(change: (service: Service) => Service): void {
  changes.push(change);
  if (isHooked) return;
  isHooked = true;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the server that it is taken from
  const { addService } = Server.prototype;
  Server.prototype.addService = function (
    definition: ServiceDefinition,
    methods: UntypedServiceImplementation,
  ) {
    const changed = changes.reduce<Service>((service, each) => each(service), { definition, methods });
    addService.call(this, changed.definition, changed.methods);
  };
}
