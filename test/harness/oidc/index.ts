export { startIssuer, type Issuer } from "./issuer";
