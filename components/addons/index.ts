export { CustomResources, type CustomResourcesArgs, type CustomResourcesOptions } from "./custom-resources";
export { NodeLabels, type NodeLabelsArgs, type NodeLabelsOptions } from "./labels";
export { Plugins, type PluginArgs, type PluginsArgs, type PluginsOptions } from "./plugins";
export {
  Rbac,
  type BindingArgs,
  type RbacArgs,
  type RbacOptions,
  type RoleArgs,
  type RuleArgs,
} from "./rbac";
export {
  Registries,
  type CredentialsArgs,
  type EcrArgs,
  type RegistriesArgs,
  type RegistriesOptions,
  type RegistryArgs,
} from "./registries";
export { Users, type SshKeyArgs, type UserArgs, type UsersArgs, type UsersOptions } from "./users";
