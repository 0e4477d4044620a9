// What admission policies of ours are made of.
import { GROUP, USERS_NAMESPACE } from "../names";
import { accountUser } from "./accounts";

/** What an admission policy of ours matches and demands. */
export interface AdmissionPolicy {
  name: string;
  spec: {
    failurePolicy: "Fail";
    matchConstraints: { resourceRules: object[] };
    matchConditions: { name: string; expression: string }[];
    validations: { expression: string; message?: string; messageExpression?: string; reason: "Forbidden" }[];
  };
  /** Where it holds: one binding for each. Everywhere, if none is given. */
  places: readonly { name: string; namespaceSelector?: object }[];
}

/** The place of a policy that holds everywhere. */
export const EVERYWHERE: AdmissionPolicy["places"] = [{ name: "everywhere" }];

/** A string, as CEL writes it. */
export const text = (value: string): string => JSON.stringify(value);
/** A list of strings, as CEL writes it. */
export const among = (values: readonly string[]): string => `[${values.map(text).join(", ")}]`;
/** Whoever makes the request. */
export const USER = "request.userInfo.username";
/** What the names of the accounts that stand for people begin with. */
export const PEOPLE = accountUser("", USERS_NAMESPACE);

/**
 * Matches people. Names that begin with `system:` are Kubernetes' own (`eks:` those of EKS) and no role of ours can name them,
 * with two exceptions: the accounts that stand for people, and whoever comes without a name.
 */
export const IS_A_PERSON = {
  name: "is-a-person",
  expression: `!(${USER}.startsWith("system:") || ${USER}.startsWith("eks:")) || ${USER}.startsWith(${text(PEOPLE)}) || ${USER} == "system:anonymous"`,
};

/** Whether whoever makes the request has the right to `use` a resource of ours, which stands for no object, in the namespace. */
export function mayUse(resource: string): string {
  return `authorizer.group(${text(GROUP)}).resource(${text(resource)}).namespace(request.namespace).check("use").allowed()`;
}
