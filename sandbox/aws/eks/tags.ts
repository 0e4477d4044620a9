import { isObject } from "../../../lib/json";
import { reply } from "../answer";
import { text } from "../call";
import type { Addition } from "../rule";
import { notFound } from "./handlers";
import type { EksStore, Fields } from "./store";

/** Tags of what moto does not know: add-ons, access entries, pod identity associations and identity providers. */
export function tags(store: EksStore): Addition {
  return {
    name: "tags",
    async answer(call) {
      const arn = text(call, "resourceArn") ?? "";
      if (
        call.service !== "eks" ||
        !/:(addon|access-entry|podidentityassociation|identityproviderconfig)\//.test(arn)
      )
        return undefined;
      const found = everything(store).find((thing) =>
        [
          thing.addonArn,
          thing.accessEntryArn,
          thing.associationArn,
          thing.identityProviderConfigArn,
        ].includes(arn),
      );
      if (found === undefined) return notFound(`No resource found for ARN: ${arn}`);
      const current = isObject(found.tags) ? found.tags : {};
      if (call.action === "ListTagsForResource") return reply({ tags: current });
      if (call.action === "TagResource") {
        found.tags = { ...current, ...(isObject(call.parameters.tags) ? call.parameters.tags : {}) };
      } else {
        const gone = new URLSearchParams(call.raw.target.split("?")[1]).getAll("tagKeys");
        found.tags = Object.fromEntries(Object.entries(current).filter(([key]) => !gone.includes(key)));
      }
      store.save();
      return reply({});
    },
  };
}

function everything(store: EksStore): Fields[] {
  return Object.values(store.clusters).flatMap(
    ({ addons, accessEntries, podIdentities, identityProviders }) => [
      ...Object.values(addons),
      ...Object.values(accessEntries),
      ...Object.values(podIdentities),
      ...Object.values(identityProviders),
    ],
  );
}
