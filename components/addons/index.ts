// What is declared inside a cluster: the custom resource definitions of our kinds (api/), and objects of them. These are not
// EKS's add-ons, which components/cluster/eks installs.
export type * from "./args";
export { CustomResources, type CustomResourcesArgs } from "./custom-resources";
export { NodeLabels, type NodeLabelsArgs } from "./node-labels";
export { Plugins, type PluginsArgs } from "./plugins";
export { Rbac, type RbacArgs } from "./rbac";
export { Registries, type RegistriesArgs } from "./registries";
export { Users, type UsersArgs } from "./users";
