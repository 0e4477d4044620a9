import { dump } from "js-yaml";
import { ceilingObjects, SYSTEM_NAMESPACE } from "../../api";
import { ADMISSION_POLICIES, admissionManifests } from "../../controllers/agent/admission";
import { CONTROLLERS as AGENT } from "../../controllers/agent/controllers";
import { rolesOf as agentRoles } from "../../controllers/agent/role";
import { CONTROLLERS as COORDINATOR } from "../../controllers/coordinator/controllers";
import { installerOf } from "../../controllers/coordinator/plugins/catalogue";
import { accountsOf, rolesOf as coordinatorRoles } from "../../controllers/coordinator/role";
import { memberRules } from "../../controllers/syncer/member-rights";
import { rolesOf as syncerRoles } from "../../controllers/syncer/role";
import { bundledPlugins } from "./bundled-plugins";
import type { GeneratedFiles } from "./index";
import { yamlMark } from "./mark";

interface Rights {
  kind: string;
  rules: readonly object[];
}

/**
 * The rights that the controllers of each program declare, as manifests for people and as plain data for components, which so
 * need not load the controllers.
 */
export function roleFiles(): GeneratedFiles {
  const coordinator = coordinatorRoles(COORDINATOR, SYSTEM_NAMESPACE);
  const coordinatorAccounts = accountsOf(COORDINATOR, SYSTEM_NAMESPACE);
  const agent = agentRoles(AGENT);
  const pluginInstaller = installerOf(bundledPlugins().map(({ parsed }) => parsed));
  const rights = ({ kind, rules }: Rights): Rights => ({ kind, rules });
  return new Map([
    [
      "controllers/coordinator/role.yaml",
      manifest("what each controller declares, and from api/authorization", [
        ...coordinator,
        ...coordinatorAccounts,
        ...ceilingObjects(),
      ]),
    ],
    ["controllers/agent/role.yaml", manifest("what each controller declares", agent)],
    ["controllers/syncer/role.yaml", manifest("the kinds that can be placed", syncerRoles(SYSTEM_NAMESPACE))],
    ["controllers/agent/admission.yaml", manifest("controllers/agent/admission.ts", admissionManifests())],
    ["components/hub/roles.json", JSON.stringify({ syncer: memberRules() })],
    ["components/agent/admission.json", JSON.stringify(ADMISSION_POLICIES)],
    ["plugins/role.yaml", manifest("the bundled plugins", pluginInstaller)],
    [
      "components/agent/roles.json",
      JSON.stringify({
        coordinator: coordinator.map(rights),
        coordinatorAccounts,
        agent: agent.map(rights),
        pluginInstaller,
      }),
    ],
  ]);
}

const manifest = (source: string, objects: readonly object[]): string =>
  yamlMark(source) + objects.map((object) => dump(object, { lineWidth: -1, noRefs: true })).join("---\n");
