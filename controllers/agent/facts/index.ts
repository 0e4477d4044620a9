export { CERTIFICATES_CONDITION, facts, VOLUME_CONDITION } from "./facts";
