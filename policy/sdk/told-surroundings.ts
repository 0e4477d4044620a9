import { Server, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import type { AnalyzerStackConfigureRequest } from "@pulumi/pulumi/proto/analyzer_pb";
import { NAMESPACE, type Surroundings, surroundingsOf } from "../judge/surroundings";

/**
 * Listens to what the engine tells a pack of the stack. A pack that a language host starts finds it in its environment; one
 * that the engine starts itself is told, and the SDK (1.21.0) keeps only the stack's tags of it.
 */
export function listenForSurroundings(): () => Surroundings {
  let told: Surroundings | undefined;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the server that it is taken from
  const { addService } = Server.prototype;
  Server.prototype.addService = function (service: ServiceDefinition, methods: UntypedServiceImplementation) {
    const { configureStack } = methods;
    addService.call(this, service, {
      ...methods,
      configureStack: (call: { request: AnalyzerStackConfigureRequest }, answer: unknown) => {
        told = read(call.request);
        if (typeof configureStack === "function") Reflect.apply(configureStack, methods, [call, answer]);
      },
    });
  };
  return () => {
    // `pulumi policy analyze` tells nothing; then nothing is exempt.
    told ??= surroundingsOf({}, "");
    return told;
  };
}

function read(request: AnalyzerStackConfigureRequest): Surroundings {
  const config = request.getConfigMap();
  const value = (name: string): string | undefined => config.get(`${NAMESPACE}:${name}`);
  const object = (name: string): unknown => {
    const text = value(name);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      // Whoever reads it says that it is no list, or no object.
      return text;
    }
  };
  return surroundingsOf(
    { exemptions: object("exemptions"), settings: object("settings"), environment: value("environment") },
    request.getStack(),
  );
}
