export { serviceAccounts } from "./controller";
export { SERVICE_ACCOUNT, SERVICE_ACCOUNT_LABEL } from "./plan";
