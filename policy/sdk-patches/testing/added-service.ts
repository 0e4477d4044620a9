// For tests of the patches: what a gRPC server gets when the SDK adds a service to it.
import { Server, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";

/** A method as the server registers it. */
export interface RegisteredMethod {
  readonly handle: (call: { request: unknown }, answer: (error: unknown, response?: unknown) => void) => void;
  readonly requestDeserialize: (message: Buffer) => unknown;
}

/** The methods of a service after the patches that the test applied. */
export function addedService(
  definition: object,
  methods: UntypedServiceImplementation,
): Readonly<Record<string, RegisteredMethod>> {
  const server = new Server();
  const register = jest.spyOn(server, "register");
  server.addService(definition as ServiceDefinition, methods);
  const byPath = new Map(
    register.mock.calls.map(([path, handle, , requestDeserialize]) => [path, { handle, requestDeserialize }]),
  );
  return Object.fromEntries(
    Object.entries(definition as ServiceDefinition).map(([name, { path }]) => [
      name,
      byPath.get(path) as unknown as RegisteredMethod,
    ]),
  );
}
