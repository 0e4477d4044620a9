export { ORDER, orderOn, REPORT, reportOn, type Order, type Report, UID } from "./handover";
