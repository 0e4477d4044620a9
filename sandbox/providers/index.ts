export {
  installProviders,
  providersLine,
  type InstalledProvider,
  type InstallOptions,
  type ProviderName,
} from "./install";
