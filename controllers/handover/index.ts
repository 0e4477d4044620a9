export {
  MOST_MESSAGE,
  MOST_OUTPUT,
  ORDER,
  orderOn,
  REPORT,
  reportOn,
  type Order,
  type Report,
  UID,
} from "./handover";
