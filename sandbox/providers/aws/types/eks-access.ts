import type * as aws from "@pulumi/aws";
import { declare, literal } from "../core/declaration";
import { chosen, identifies, required, updates } from "../core/property";
import { given } from "../core/answer";
import { eksTagging } from "./eks-cluster";

/** Who may talk to a cluster. */
export const eksAccessEntry = declare<aws.eks.AccessEntryArgs, aws.eks.AccessEntryState>({
  token: "aws:eks/accessEntry:AccessEntry",
  properties: {
    clusterName: identifies,
    kubernetesGroups: { ...chosen, set: true },
    principalArn: identifies,
    type: { replaces: true, fallback: "STANDARD" },
    userName: chosen,
  },
  tagging: eksTagging("accessEntryArn"),
  async create({ aws, token }, inputs) {
    await (
      await aws.eks()
    ).createAccessEntry({
      clientRequestToken: token,
      clusterName: inputs.clusterName,
      kubernetesGroups: inputs.kubernetesGroups,
      principalArn: inputs.principalArn,
      tags: inputs.tags,
      type: inputs.type,
      username: inputs.userName,
    });
    return `${inputs.clusterName}:${inputs.principalArn}`;
  },
  async read({ aws }, id) {
    const { accessEntry: found } = await (await aws.eks()).describeAccessEntry(entryOf(id));
    if (found === undefined) return undefined;
    return {
      accessEntryArn: found.accessEntryArn,
      clusterName: found.clusterName,
      createdAt: found.createdAt?.toISOString(),
      kubernetesGroups: found.kubernetesGroups ?? [],
      modifiedAt: found.modifiedAt?.toISOString(),
      principalArn: found.principalArn,
      tags: found.tags,
      type: found.type,
      userName: found.username,
    };
  },
  update: async ({ aws }, id, news) =>
    (await aws.eks()).updateAccessEntry({
      ...entryOf(id),
      kubernetesGroups: news.kubernetesGroups,
      username: news.userName,
    }),
  delete: async ({ aws }, id) => (await aws.eks()).deleteAccessEntry(entryOf(id)),
});

function entryOf(id: string): { clusterName: string; principalArn: string } {
  const colon = id.indexOf(":");
  return { clusterName: id.slice(0, colon), principalArn: id.slice(colon + 1) };
}

/** What someone may do in a cluster. */
export const eksAccessPolicyAssociation = declare<
  aws.eks.AccessPolicyAssociationArgs,
  aws.eks.AccessPolicyAssociationState
>({
  token: "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
  properties: {
    accessScope: identifies,
    clusterName: identifies,
    policyArn: identifies,
    principalArn: identifies,
  },
  async create({ aws }, inputs) {
    await (
      await aws.eks()
    ).associateAccessPolicy({
      accessScope: { namespaces: inputs.accessScope.namespaces, type: literal(inputs.accessScope.type) },
      clusterName: inputs.clusterName,
      policyArn: inputs.policyArn,
      principalArn: inputs.principalArn,
    });
    return `${inputs.clusterName}#${inputs.principalArn}#${inputs.policyArn}`;
  },
  async read({ aws }, id) {
    const [clusterName = "", principalArn = "", policyArn = ""] = id.split("#");
    const { associatedAccessPolicies } = await (
      await aws.eks()
    ).listAssociatedAccessPolicies({ clusterName, principalArn });
    const found = associatedAccessPolicies?.find((association) => association.policyArn === policyArn);
    if (found === undefined) return undefined;
    return {
      accessScope: {
        namespaces: found.accessScope?.namespaces ?? [],
        type: found.accessScope?.type ?? "cluster",
      },
      associatedAt: found.associatedAt?.toISOString(),
      clusterName,
      modifiedAt: found.modifiedAt?.toISOString(),
      policyArn,
      principalArn,
    };
  },
  async delete({ aws }, id) {
    const [clusterName = "", principalArn = "", policyArn = ""] = id.split("#");
    await (await aws.eks()).disassociateAccessPolicy({ clusterName, principalArn, policyArn });
  },
});

/** That the pods of a service account act as a role. */
export const eksPodIdentityAssociation = declare<
  aws.eks.PodIdentityAssociationArgs,
  aws.eks.PodIdentityAssociationState
>({
  token: "aws:eks/podIdentityAssociation:PodIdentityAssociation",
  properties: {
    clusterName: identifies,
    disableSessionTags: chosen,
    namespace: identifies,
    roleArn: required,
    serviceAccount: identifies,
    targetRoleArn: updates,
  },
  tagging: eksTagging("associationArn"),
  async create({ aws, token }, inputs) {
    const { association } = await (
      await aws.eks()
    ).createPodIdentityAssociation({
      clientRequestToken: token,
      clusterName: inputs.clusterName,
      disableSessionTags: inputs.disableSessionTags,
      namespace: inputs.namespace,
      roleArn: inputs.roleArn,
      serviceAccount: inputs.serviceAccount,
      tags: inputs.tags,
      targetRoleArn: inputs.targetRoleArn,
    });
    return given(association?.associationId, "the id of the association");
  },
  fromImport(given) {
    const [clusterName = "", associationId = ""] = given.split(",");
    return { id: associationId, known: { clusterName } };
  },
  async read({ aws }, id, known) {
    const { association: found } = await (
      await aws.eks()
    ).describePodIdentityAssociation({ associationId: id, clusterName: known.clusterName });
    if (found === undefined) return undefined;
    return {
      associationArn: found.associationArn,
      associationId: found.associationId,
      clusterName: found.clusterName,
      disableSessionTags: found.disableSessionTags ?? false,
      externalId: found.externalId ?? "",
      namespace: found.namespace,
      roleArn: found.roleArn,
      serviceAccount: found.serviceAccount,
      tags: found.tags,
      targetRoleArn: found.targetRoleArn ?? "",
    };
  },
  update: async ({ aws, token }, id, news) =>
    (await aws.eks()).updatePodIdentityAssociation({
      associationId: id,
      clientRequestToken: token,
      clusterName: news.clusterName,
      disableSessionTags: news.disableSessionTags,
      roleArn: news.roleArn,
      targetRoleArn: news.targetRoleArn,
    }),
  delete: async ({ aws }, id, state) =>
    (await aws.eks()).deletePodIdentityAssociation({ associationId: id, clusterName: state.clusterName }),
});
