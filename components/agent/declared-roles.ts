import { SYSTEM_NAMESPACE } from "../../api";
import { PARTS } from "../../controllers/coordinator/parts";
import { rolesOf } from "../../controllers/coordinator/role";

/** The rights that the controllers of each program declare, in the shape of roles.json. It loads the controllers. */
export function declaredRoles(): Record<string, { kind: string; rules: object[] }[]> {
  const shape = ({ kind, rules }: { kind: string; rules: object[] }): { kind: string; rules: object[] } => ({
    kind,
    rules,
  });
  return { coordinator: rolesOf(PARTS, SYSTEM_NAMESPACE).map(shape) };
}
