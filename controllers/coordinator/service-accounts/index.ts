export { SERVICE_ACCOUNT, SERVICE_ACCOUNT_LABEL, serviceAccounts } from "./service-accounts";
