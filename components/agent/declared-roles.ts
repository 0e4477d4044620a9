import { SYSTEM_NAMESPACE } from "../../api";
import { PARTS as AGENT } from "../../controllers/agent/parts";
import { rolesOf as agentRoles } from "../../controllers/agent/role";
import { PARTS as COORDINATOR } from "../../controllers/coordinator/parts";
import { installerOf } from "../../controllers/coordinator/plugins/catalogue";
import { rolesOf as coordinatorRoles } from "../../controllers/coordinator/role";
import { bundledPlugins } from "../addons/bundled-plugins";

interface Rights {
  kind: string;
  rules: readonly object[];
}

/** The rights that the controllers of each program declare, in the shape of roles.json. It loads the controllers. */
export function declaredRoles(): { coordinator: Rights[]; agent: Rights[]; pluginInstaller: object[] } {
  const rights = ({ kind, rules }: Rights): Rights => ({ kind, rules });
  return {
    coordinator: coordinatorRoles(COORDINATOR, SYSTEM_NAMESPACE).map(rights),
    agent: agentRoles(AGENT).map(rights),
    pluginInstaller: installerOf(bundledPlugins().map(({ parsed }) => parsed)),
  };
}
