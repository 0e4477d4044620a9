// Addresses that a Service claims for itself: every node sends what goes to them to the pods of the Service, whoever they belong to
// (CVE-2020-8554). With `externalIPs` one reads what others send to a registry, a cloud's metadata or a DNS server.
import { GROUP } from "../names";
import { EVERYWHERE, IS_A_PERSON, mayUse, USER, type AdmissionPolicy } from "./admission-policy";

/** What lets its holder write `externalIPs`: the verb `use` on this resource of ours. It stands for no object. */
export const EXTERNAL_IPS_RESOURCE = "serviceexternalips";

const ADDED =
  "object.spec.externalIPs.filter(ip, oldObject == null || !has(oldObject.spec.externalIPs) || !(ip in oldObject.spec.externalIPs))";

/**
 * People claim no address by `externalIPs`; what an administrator claimed for a Service of theirs may stay, and go. An administrator
 * passes by the right to `use` them, which cluster-admin has. The other way to claim one is `status.loadBalancer`, which no role gives.
 */
export function externalIps(): AdmissionPolicy {
  return {
    name: "fleetwright-external-ips",
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["services"],
            scope: "Namespaced",
            operations: ["CREATE", "UPDATE"],
          },
        ],
      },
      matchConditions: [IS_A_PERSON],
      validations: [
        {
          expression: `!has(object.spec.externalIPs) || size(${ADDED}) == 0 || ${mayUse(EXTERNAL_IPS_RESOURCE)}`,
          messageExpression: `"only administrators claim addresses by spec.externalIPs (found " + ${ADDED}.join(", ") + "): " + ${USER} + " lacks the right to use ${EXTERNAL_IPS_RESOURCE}.${GROUP} in " + request.namespace`,
          reason: "Forbidden",
        },
      ],
    },
    places: EVERYWHERE,
  };
}
