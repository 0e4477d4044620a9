export { upgrade } from "./upgrade";
export type { HostUnits } from "./host-units";
export { SystemdUnits } from "./systemd-units";
