import * as sdk from "@pulumi/policy/server";
import * as wire from "@pulumi/pulumi/proto/analyzer_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Policy } from "../core/policy";
import type { Resource } from "../core/resource";
import type { PolicyContext } from "../core/policy-context";
import { sdkPolicies } from "../core/crossguard";
import { keepSecrets } from "../sdk-patches/keep-secrets";

/** What the engine gets of a violation. */
export interface Diagnostic {
  readonly policy: string;
  readonly message: string;
  readonly urn: string;
  readonly isMandatory: boolean;
}

type Answer = (error: Error | null | undefined, response?: wire.AnalyzeResponse) => void;
type Make = (
  pack: string,
  version: string,
  level: string,
  policies: unknown,
) => (call: { request: object }, answer: Answer) => void;

/** The SDK's own functions behind the calls of the engine; its declarations leave them out. */
const { makeAnalyzeRpcFun, makeAnalyzeStackRpcFun } = sdk as unknown as Readonly<
  Record<"makeAnalyzeRpcFun" | "makeAnalyzeStackRpcFun", Make>
>;

keepSecrets();

/** For tests and benchmarks: asks the SDK for evaluations with the messages that the engine asks with. */
export class Analyzer {
  readonly #policies: ReturnType<typeof sdkPolicies>;

  constructor(policies: readonly Policy[], context: PolicyContext) {
    this.#policies = sdkPolicies(policies, () => context);
  }

  /** Evaluates one resource by its inputs. */
  resource(resource: Resource): Promise<Diagnostic[]> {
    const request = fill(new wire.AnalyzeRequest(), resource);
    return this.#ask(makeAnalyzeRpcFun, request);
  }

  /** Evaluates a stack by its outputs. */
  stack(resources: readonly Resource[]): Promise<Diagnostic[]> {
    const request = new wire.AnalyzeStackRequest();
    request.setResourcesList(
      resources.map((resource) => {
        const message = fill(new wire.AnalyzerResource(), resource);
        message.setDependenciesList([...resource.dependencies]);
        for (const [property, urns] of Object.entries(resource.propertyDependencies)) {
          const of = new wire.AnalyzerPropertyDependencies();
          of.setUrnsList([...urns]);
          message.getPropertydependenciesMap().set(property, of);
        }
        return message;
      }),
    );
    return this.#ask(makeAnalyzeStackRpcFun, request);
  }

  async #ask(make: Make, request: object): Promise<Diagnostic[]> {
    const analyze = make("pack", "1.0.0", "mandatory", this.#policies);
    const response = await new Promise<wire.AnalyzeResponse>((resolve, reject) => {
      analyze({ request }, (error, answer) => {
        if (answer === undefined) reject(error ?? new Error("no answer"));
        else resolve(answer);
      });
    });
    return response.getDiagnosticsList().map((diagnostic) => ({
      policy: diagnostic.getPolicyname(),
      message: diagnostic.getMessage(),
      urn: diagnostic.getUrn(),
      isMandatory: diagnostic.getEnforcementlevel() === wire.EnforcementLevel.MANDATORY,
    }));
  }
}

function fill<Message extends wire.AnalyzeRequest | wire.AnalyzerResource>(
  message: Message,
  resource: Resource,
): Message {
  message.setType(resource.type);
  message.setName(resource.name);
  message.setUrn(resource.urn);
  message.setProperties(structOf(resource.properties));
  const options = new wire.AnalyzerResourceOptions();
  options.setProtect(resource.isProtected);
  message.setOptions(options);
  const provider = new wire.AnalyzerProviderResource();
  provider.setProperties(structOf(resource.provider));
  message.setProvider(provider);
  return message;
}

function structOf(value: object): Struct {
  return Struct.fromJavaScript(value as Record<string, JavaScriptValue>);
}
