export { getAmi } from "./image";
export { getAvailabilityZones, getCallerIdentity, getPartition, getRegion } from "./place";
export { getPolicyDocument } from "./policy-document";
export { getParameter, getZone } from "./stored";
