export { apiServerEndpoint, apiServerEndpointPath } from "./endpoint";
export { importImages, joinNode } from "./join";
export type { NodeOptions } from "./options";
