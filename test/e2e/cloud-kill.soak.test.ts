import { describeKills } from "../harness/cloud-kill";

describeKills(20, __filename);
