import { dump } from "js-yaml";
import { crdOf, KIND_NAMES, KINDS } from "../../api/kinds";
import { GROUP } from "../../api/names";
import { indexPage, referencePage } from "../../api/schema/page";
import type { GeneratedFiles } from "./index";
import { pageMark, yamlMark } from "./mark";

/** The CRD and the reference page of every kind. */
export function kindFiles(): GeneratedFiles {
  const yaml = (object: unknown): string => dump(object, { lineWidth: -1, noRefs: true });
  const files = new Map<string, string>();
  for (const name of KIND_NAMES) {
    const kind = KINDS[name];
    files.set(`api/crds/${kind.plural}.${GROUP}.yaml`, yamlMark("the kind's schema") + yaml(crdOf(name)));
    files.set(
      `docs/reference/${name.toLowerCase()}.md`,
      pageMark("the kind's schema") + referencePage(kind, yaml),
    );
  }
  const kinds = KIND_NAMES.map((name) => KINDS[name]);
  return files.set("docs/reference/kinds.md", pageMark("the kinds' schemas") + indexPage(kinds));
}
