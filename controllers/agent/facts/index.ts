export { facts } from "./controller";
export { CERTIFICATES_CONDITION, VOLUME_CONDITION } from "./plan";
