/**
 * Gives policies the stack's configuration, which holds exemptions and settings.
 *
 * Reason: the engine sends it in ConfigureStack, and the SDK keeps only the stack's tags of that request.
 * Made for: @pulumi/policy 1.21.0
 */
import type { AnalyzerStackConfigureRequest } from "@pulumi/pulumi/proto/analyzer_pb";
import { CONFIG_NAMESPACE, type PolicyContext, policyContextOf } from "../core/policy-context";
import { changeServices } from "./server-hook";

/** Starts to listen for the configuration; the result gives the context of the stack that is being evaluated. */
export function receiveStackConfiguration(): () => PolicyContext {
  let received: PolicyContext | undefined;
  changeServices(({ definition, methods }) => {
    const { configureStack } = methods;
    return {
      definition,
      methods: {
        ...methods,
        configureStack: (call: { request: AnalyzerStackConfigureRequest }, answer: unknown) => {
          received = contextOf(call.request);
          if (typeof configureStack === "function") Reflect.apply(configureStack, methods, [call, answer]);
        },
      },
    };
  });
  return () => {
    // `pulumi policy analyze` sends no configuration; then there are no exemptions.
    received ??= policyContextOf({}, "");
    return received;
  };
}

function contextOf(request: AnalyzerStackConfigureRequest): PolicyContext {
  const config = request.getConfigMap();
  const value = (name: string): string | undefined => config.get(`${CONFIG_NAMESPACE}:${name}`);
  const object = (name: string): unknown => {
    const text = value(name);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      // policyContextOf reports that it is not a list or an object.
      return text;
    }
  };
  return policyContextOf(
    { exemptions: object("exemptions"), settings: object("settings"), environment: value("environment") },
    request.getStack(),
  );
}
