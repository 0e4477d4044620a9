export { hasSelinux, SelinuxLabels } from "./selinux-labels";
export { HostFolder, type HostGuard, type Ownership } from "./folder";
export { HostRefusal } from "./refusal";
export { HostRoot } from "./root";
export { SystemdUnits } from "./systemd-units";
export type { HostUnits } from "./units";
