/**
 * Runs only the policies that concern a request: those for the type of the resource, those for the types in the stack, and
 * remediations only if a policy is set to `remediate` (`--policy-pack-config`).
 *
 * Reason: the engine sends Remediate and Analyze for every resource, one after the other, and the SDK prepares the arguments of
 * every policy for each.
 * Made for: @pulumi/policy 1.21.0
 */
import { readFileSync } from "node:fs";
import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import * as sdk from "@pulumi/policy/server";
import {
  AnalyzeRequest,
  AnalyzeResponse,
  type AnalyzeStackRequest,
  type ConfigureAnalyzerRequest,
  EnforcementLevel,
  RemediateResponse,
} from "@pulumi/pulumi/proto/analyzer_pb";
import type { SdkPolicy } from "../core/crossguard";
import type { Policy } from "../core/policy";
import { changeServices } from "./server-hook";

type Method<Request, Response> = (
  call: Pick<ServerUnaryCall<Request, Response>, "request">,
  answer: sendUnaryData<Response>,
) => void;
type Make<Request> = (
  pack: string,
  version: string,
  level: string,
  policies: readonly SdkPolicy[],
) => Method<Request, AnalyzeResponse>;

/** The SDK's own functions behind the methods; its declarations leave them out. */
const { makeAnalyzeRpcFun, makeAnalyzeStackRpcFun } = sdk as unknown as {
  makeAnalyzeRpcFun: Make<AnalyzeRequest>;
  makeAnalyzeStackRpcFun: Make<AnalyzeStackRequest>;
};

/** Lets the server run only the policies of a pack that concern a request. `served` are the same policies, for the SDK. */
export function runRelevantPoliciesOnly(
  pack: string,
  policies: readonly Policy[],
  served: readonly SdkPolicy[],
): void {
  // Where the SDK finds the version as well.
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const analyzeType = new Map<string, Method<AnalyzeRequest, AnalyzeResponse> | undefined>();
  const concerning = (scope: Policy["scope"], types: ReadonlySet<string>): SdkPolicy[] =>
    served.filter((_, index) => {
      const policy = policies[index];
      return policy?.scope === scope && policy.types.some((type) => types.has(type));
    });
  const analyze: Method<AnalyzeRequest, AnalyzeResponse> = (call, answer) => {
    const type = call.request.getType();
    if (!analyzeType.has(type)) {
      const relevant = concerning("resource", new Set([type]));
      analyzeType.set(
        type,
        relevant.length === 0 ? undefined : makeAnalyzeRpcFun(pack, version, "mandatory", relevant),
      );
    }
    const method = analyzeType.get(type);
    if (method === undefined) answer(null, new AnalyzeResponse());
    else method(call, answer);
  };
  const analyzeStack: Method<AnalyzeStackRequest, AnalyzeResponse> = (call, answer) => {
    const types = new Set(call.request.getResourcesList().map((resource) => resource.getType()));
    makeAnalyzeStackRpcFun(pack, version, "mandatory", concerning("stack", types))(call, answer);
  };
  let remediates = false;
  changeServices(({ definition, methods }) => {
    const remediate = methods.remediate as Method<AnalyzeRequest, RemediateResponse>;
    const configure = methods.configure as Method<ConfigureAnalyzerRequest, object>;
    const changed = {
      analyze,
      analyzeStack,
      remediate: (...[call, answer]: Parameters<typeof remediate>) =>
        remediates ? remediate(call, answer) : answer(null, new RemediateResponse()),
      configure: (...[call, answer]: Parameters<typeof configure>) => {
        remediates = [...call.request.getPolicyconfigMap().entries()].some(
          ([, config]) => config.getEnforcementlevel() === EnforcementLevel.REMEDIATE,
        );
        configure(call, answer);
      },
    };
    const { remediate: defined } = definition;
    // A request that is not looked at is not read either. To the engine "not implemented" means that nothing is changed, and our
    // server (minimal-grpc.ts) can say that before the request has arrived.
    const unread = {
      requestDeserialize: (message: Buffer): unknown =>
        remediates ? defined?.requestDeserialize(message) : new AnalyzeRequest(),
      isRefused: () => !remediates,
    };
    return {
      definition:
        defined === undefined ? definition : { ...definition, remediate: { ...defined, ...unread } },
      methods: { ...methods, ...changed },
    };
  });
}
