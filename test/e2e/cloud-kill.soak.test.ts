import { describeKills } from "../harness/cloud-kill";

describeKills(10);
