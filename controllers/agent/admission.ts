// What the API server lets an agent write: admission policies that hold each agent to its own node. RBAC cannot say
// "only your own": every agent has the same account. The name of the node in the token of its pod can.
import { GROUP } from "../../api/names";
import { REPORT_ANNOTATION } from "../../api/upgrade-annotations";
import { CONDITIONS } from "./facts/plan";
import { METADATA_PATHS } from "./facts/metadata";
import { LOGINS_CONDITION } from "./users/reconciler";

/** Labels that an agent may give its node where they are missing. */
export const AGENT_LABELS: readonly string[] = Object.keys(METADATA_PATHS);
/** Conditions of its node that are an agent's to write. */
export const AGENT_CONDITIONS: readonly string[] = [...CONDITIONS, LOGINS_CONDITION];

/** A rule in the Common Expression Language, and what whoever breaks it reads. */
export interface Validation {
  expression: string;
  message: string;
}

/** What a ValidatingAdmissionPolicy says. */
export interface PolicySpec {
  failurePolicy: "Fail";
  matchConstraints: {
    resourceRules: {
      apiGroups: string[];
      apiVersions: string[];
      operations: string[];
      resources: string[];
    }[];
  };
  matchConditions: { name: string; expression: string }[];
  variables: { name: string; expression: string }[];
  validations: Validation[];
}

/** A ValidatingAdmissionPolicy as it is applied. */
export interface AdmissionPolicy {
  name: string;
  spec: PolicySpec;
}

/** The extra field of a token's user that names the node of the pod that the token is bound to. */
const NODE_CLAIM = "authentication.kubernetes.io/node-name";

/** The node of a token. A token that is bound to no pod on a node has none, and may write nothing. */
const NODE = {
  name: "node",
  expression: `has(request.userInfo.extra) && '${NODE_CLAIM}' in request.userInfo.extra ? request.userInfo.extra['${NODE_CLAIM}'][0] : ''`,
};

const BOUND: Validation = {
  expression: "variables.node != ''",
  message:
    "The agent's token names no node: use the token that the kubelet gives to the agent's pod, which is bound to it.",
};

function policy(
  name: string,
  matches: { group: string; resources: string[] },
  variables: PolicySpec["variables"],
  validations: Validation[],
): AdmissionPolicy {
  return {
    name: `fleetwright-agent-${name}`,
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [matches.group],
            apiVersions: ["*"],
            operations: ["*"],
            resources: matches.resources,
          },
        ],
      },
      matchConditions: [
        {
          name: "agent",
          // Whatever namespace it is installed in.
          expression: "request.userInfo.username.matches('^system:serviceaccount:[^:]+:fleetwright-agent$')",
        },
      ],
      variables: [NODE, ...variables],
      validations: [BOUND, ...validations],
    },
  };
}

const list = (words: readonly string[]): string => `[${words.map((word) => `'${word}'`).join(", ")}]`;

/** Whether two maps are the same but for some of their keys. */
function same(after: string, before: string, except: readonly string[]): string {
  const free = list(except);
  return `${after}.all(k, k in ${free} || (k in ${before} && ${after}[k] == ${before}[k])) && ${before}.all(k, k in ${free} || k in ${after})`;
}

/** A field of the object as it was and as it is to be; what is missing is empty. */
function both(name: string, path: string, empty: "{}" | "[]"): PolicySpec["variables"] {
  const steps = path.split(".");
  return ["object", "oldObject"].map((root) => {
    const there = steps.map((_, index) => `has(${[root, ...steps.slice(0, index + 1)].join(".")})`);
    return {
      name: root === "object" ? name : `${name}Before`,
      expression: `${there.join(" && ")} ? dyn(${root}.${path}) : dyn(${empty})`,
    };
  });
}

/** Written by the server alone, whatever is sent. */
const BOOKKEEPING = ["managedFields", "resourceVersion", "generation"];

/** Nodes and all below them: the report, missing labels and conditions of its own, on its own node. */
const nodes = policy(
  "nodes",
  { group: "", resources: ["nodes", "nodes/*"] },
  [
    ...both("metadata", "metadata", "{}"),
    ...both("labels", "metadata.labels", "{}"),
    ...both("annotations", "metadata.annotations", "{}"),
    ...both("spec", "spec", "{}"),
    ...both("status", "status", "{}"),
    ...both("conditions", "status.conditions", "[]"),
  ],
  [
    {
      expression: "request.operation == 'UPDATE' && request.name == variables.node",
      message: "An agent may change only the Node that it runs on.",
    },
    {
      expression: `variables.spec == variables.specBefore && ${same("variables.metadata", "variables.metadataBefore", ["labels", "annotations", ...BOOKKEEPING])}`,
      message: "An agent may not change the spec of its Node, such as taints, nor finalizers or owners.",
    },
    {
      expression: `variables.labels.all(k, k in variables.labelsBefore ? variables.labels[k] == variables.labelsBefore[k] : k in ${list(AGENT_LABELS)}) && variables.labelsBefore.all(k, k in variables.labels)`,
      message: `An agent may only add the labels ${AGENT_LABELS.join(", ")} to its Node, where they are missing.`,
    },
    {
      expression: same("variables.annotations", "variables.annotationsBefore", [REPORT_ANNOTATION]),
      message: `An agent may change no annotation of its Node but ${REPORT_ANNOTATION}.`,
    },
    {
      expression: `${same("variables.status", "variables.statusBefore", ["conditions"])} && variables.conditions.filter(c, !(c.type in ${list(AGENT_CONDITIONS)})) == variables.conditionsBefore.filter(c, !(c.type in ${list(AGENT_CONDITIONS)}))`,
      message: `An agent may change nothing in the status of its Node but the conditions ${AGENT_CONDITIONS.join(", ")}.`,
    },
  ],
);

/** All of our kinds: an agent's own entry in the status of a User, and nothing else. */
const kinds = policy(
  "kinds",
  { group: GROUP, resources: ["*/*"] },
  [
    ...both("metadata", "metadata", "{}"),
    ...both("spec", "spec", "{}"),
    ...both("status", "status", "{}"),
    ...both("failures", "status.failures", "[]"),
  ],
  [
    {
      expression:
        "request.operation == 'UPDATE' && request.resource.resource == 'users' && has(request.subResource) && request.subResource == 'status'",
      message: "An agent may write none of Fleetwright's objects but the status of Users.",
    },
    {
      expression: `variables.spec == variables.specBefore && ${same("variables.metadata", "variables.metadataBefore", BOOKKEEPING)} && ${same("variables.status", "variables.statusBefore", ["failures"])} && variables.failures.filter(f, f.node != variables.node) == variables.failuresBefore.filter(f, f.node != variables.node)`,
      message:
        "An agent may change nothing in the status of a User but the entry of its own node in failures.",
    },
  ],
);

/** Events: about its own node or a User, in its own name. */
const events = policy(
  "events",
  { group: "events.k8s.io", resources: ["events", "events/*"] },
  [
    {
      name: "instance",
      expression: "size(variables.node) > 128 ? variables.node.substring(0, 128) : variables.node",
    },
  ],
  [
    {
      expression: `request.operation in ['CREATE', 'UPDATE'] && object.metadata.namespace == 'default' && object.reportingController == 'fleetwright.dev/agent' && object.reportingInstance == variables.instance && ((object.regarding.kind == 'Node' && object.regarding.name == variables.node) || (object.regarding.kind == 'User' && object.regarding.apiVersion.startsWith('${GROUP}/')))`,
      message: "An agent may record events in its own name only, about its own Node or about Users.",
    },
    {
      expression:
        "request.operation != 'UPDATE' || (oldObject.reportingController == object.reportingController && oldObject.reportingInstance == object.reportingInstance && oldObject.regarding == object.regarding)",
      message: "An agent may count on only in events that it recorded itself.",
    },
  ],
);

/** All policies that bind agents. */
export const ADMISSION_POLICIES: readonly AdmissionPolicy[] = [nodes, kinds, events];

/** The policies and their bindings as manifests. */
export function admissionManifests(): object[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  return ADMISSION_POLICIES.flatMap(({ name, spec }) => {
    const labels = {
      "app.kubernetes.io/managed-by": "fleetwright",
      "app.kubernetes.io/part-of": "fleetwright",
      "app.kubernetes.io/component": "agent",
    };
    const metadata = { name, labels };
    return [
      { apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec },
      {
        apiVersion,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata,
        spec: { policyName: name, validationActions: ["Deny"] },
      },
    ];
  });
}
