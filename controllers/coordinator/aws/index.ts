export { assumeRole, roleCredentials } from "./credentials";
export { AwsError, send, serviceUrl, type AwsEnvironment } from "./request";
export { signedHeaders, type AwsCredentials, type AwsPost } from "./signature";
