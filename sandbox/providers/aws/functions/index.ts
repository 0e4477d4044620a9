export { getAddonVersion } from "./addon-version";
export { getAmi } from "./image";
export { getAvailabilityZones, getCallerIdentity, getPartition, getRegion } from "./account-and-region";
export { getPolicyDocument } from "./policy-document";
export { getParameter, getZone } from "./stored";
