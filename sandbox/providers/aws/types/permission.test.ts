import { atomicRules, permission, rulesOf } from "./permission";

it("sees that two ways to write rules say the same", () => {
  const together = [{ protocol: "6", fromPort: 80, toPort: 80, cidrBlocks: ["a", "b"], self: true }];
  const apart = [
    { protocol: "tcp", fromPort: 80, toPort: 80, cidrBlocks: ["a"], description: "" },
    { protocol: "tcp", fromPort: 80, toPort: 80, cidrBlocks: ["b"] },
    { protocol: "tcp", fromPort: 80, toPort: 80, self: true },
  ];
  expect(atomicRules(together)).toEqual(atomicRules(apart));
});

it("leaves ports away where all protocols are meant", () => {
  expect(permission({ protocol: "all", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }, "sg-1")).toEqual({
    IpProtocol: "-1",
    IpRanges: [{ CidrIp: "0.0.0.0/0", Description: undefined }],
  });
});

it("gives back what it wrote, a rule for each description", () => {
  const rules = [
    {
      protocol: "tcp",
      fromPort: 1,
      toPort: 2,
      cidrBlocks: ["a"],
      description: "one",
      ipv6CidrBlocks: [],
      prefixListIds: [],
      securityGroups: [],
      self: false,
    },
    {
      protocol: "tcp",
      fromPort: 1,
      toPort: 2,
      cidrBlocks: ["b"],
      description: "two",
      ipv6CidrBlocks: [],
      prefixListIds: [],
      securityGroups: ["sg-2"],
      self: true,
    },
  ];
  expect(
    rulesOf(
      rules.map((rule) => permission(rule, "sg-1")),
      "sg-1",
    ),
  ).toEqual(rules);
});
