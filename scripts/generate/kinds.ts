import { dump } from "js-yaml";
import { anyKind, crdOf, HUB_KIND_NAMES, KIND_NAMES, type HubKindName, type KindName } from "../../api/kinds";
import { GROUP } from "../../api/names";
import { indexPage, referencePage } from "../../api/schema/page";
import type { GeneratedFiles } from "./index";
import { pageMark, yamlMark } from "./mark";

/** The CRD and the reference page of every kind; those of a hub lie apart, because they are installed apart. */
export function kindFiles(): GeneratedFiles {
  const yaml = (object: unknown): string => dump(object, { lineWidth: -1, noRefs: true });
  const files = new Map<string, string>();
  const write = (folder: string, names: readonly (KindName | HubKindName)[]): void => {
    for (const name of names) {
      const kind = anyKind(name);
      files.set(`${folder}/${kind.plural}.${GROUP}.yaml`, yamlMark("the kind's schema") + yaml(crdOf(name)));
      files.set(
        `docs/reference/${name.toLowerCase()}.md`,
        pageMark("the kind's schema") + referencePage(kind, yaml),
      );
    }
  };
  write("api/crds", KIND_NAMES);
  write("api/hub/crds", HUB_KIND_NAMES);
  const index = indexPage(KIND_NAMES.map(anyKind), HUB_KIND_NAMES.map(anyKind));
  return files.set("docs/reference/kinds.md", pageMark("the kinds' schemas") + index);
}
