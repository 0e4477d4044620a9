import { describeKills } from "./cloud-kill";

describeKills(1);
