import { randomBytes } from "node:crypto";
import { reply } from "../answer";
import { text } from "../call";
import { ACCOUNT } from "../clients";
import type { Addition } from "../rule";
import { arnOf, clusterAddition, inUse, notFound, type ClusterCall, type Handler } from "./handlers";
import type { EksStore, Fields } from "./store";

/** Which role the pods of a service account have: one for each service account. */
export function podIdentities(store: EksStore): Addition {
  return clusterAddition("pod identity", store, {
    CreatePodIdentityAssociation({ call, record, clusterName, context, now }) {
      const { namespace, serviceAccount, roleArn, targetRoleArn, disableSessionTags } = call.parameters;
      const other = Object.values(record.podIdentities).find(
        (found) => found.namespace === namespace && found.serviceAccount === serviceAccount,
      );
      if (other !== undefined) return inUse(`Association already exists: ${String(other.associationId)}`);
      const associationId = `a-${randomBytes(9).toString("hex").slice(0, 17)}`;
      const association: Fields = {
        clusterName,
        namespace,
        serviceAccount,
        roleArn,
        associationArn: arnOf(context.region, ACCOUNT, "podidentityassociation", clusterName, associationId),
        associationId,
        tags: call.parameters.tags ?? {},
        createdAt: now,
        modifiedAt: now,
        disableSessionTags: disableSessionTags ?? false,
        ...(targetRoleArn === undefined ? {} : { targetRoleArn }),
      };
      record.podIdentities[associationId] = association;
      return reply({ association });
    },
    DescribePodIdentityAssociation: withAssociation((_request, association) => reply({ association })),
    ListPodIdentityAssociations: ({ call, record }) =>
      reply({
        associations: Object.values(record.podIdentities)
          .filter(({ namespace }) => [undefined, namespace].includes(text(call, "namespace")))
          .filter(({ serviceAccount }) => [undefined, serviceAccount].includes(text(call, "serviceAccount"))),
      }),
    UpdatePodIdentityAssociation: withAssociation(({ call, now }, association) => {
      const { roleArn, targetRoleArn, disableSessionTags } = call.parameters;
      for (const [name, value] of Object.entries({ roleArn, targetRoleArn, disableSessionTags })) {
        if (value !== undefined) association[name] = value;
      }
      association.modifiedAt = now;
      return reply({ association });
    }),
    DeletePodIdentityAssociation: withAssociation(({ record }, association) => {
      Reflect.deleteProperty(record.podIdentities, String(association.associationId));
      return reply({ association });
    }),
  });
}

function withAssociation(work: (request: ClusterCall, association: Fields) => ReturnType<Handler>): Handler {
  return (request) => {
    const id = text(request.call, "associationId") ?? "";
    const association = request.record.podIdentities[id];
    return association === undefined ? notFound(`Association not found: ${id}`) : work(request, association);
  };
}
