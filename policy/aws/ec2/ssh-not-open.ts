import { definePolicy } from "../../judge/policy";
import { DOORS, eachOpenDoor } from "./open-doors";

export const sshNotOpen = definePolicy({
  name: "aws-ec2-ssh-not-open",
  description: "SSH is not open to the whole world.",
  level: "MUST",
  severity: "critical",
  sources: ["CKV_AWS_24", "FSBP EC2.19", "CT.EC2.PR.3", "CT.EC2.PR.4"],
  rules: [10],
  steps: "Name the ranges that log in, or use Systems Manager and open nothing.",
  types: DOORS,
  settings: {
    ports: { type: "array", items: { type: "string" }, default: ["22"], description: "The ports of SSH." },
  },
  check({ resource, inputs, settings }) {
    eachOpenDoor(resource.type, inputs, ({ from, first, last }) => {
      const port = settings.ports.find((one) => Number(one) >= first && Number(one) <= last);
      if (port !== undefined)
        from.refuse(`Name the ranges that may use port ${port} (it is within ${first}-${last}).`);
    });
  },
});
