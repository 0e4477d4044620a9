import { AddressRange } from "./address-range";
import { planSubnets, rangeFix } from "./subnet-plan";

it("gives each zone its quarter", () => {
  expect(planSubnets("10.0.0.0/16", 3)).toEqual([
    { private: "10.0.0.0/19", public: "10.0.32.0/20", control: "10.0.48.0/24" },
    { private: "10.0.64.0/19", public: "10.0.96.0/20", control: "10.0.112.0/24" },
    { private: "10.0.128.0/19", public: "10.0.160.0/20", control: "10.0.176.0/24" },
  ]);
});

it("never moves a subnet when a zone is added", () => {
  expect(planSubnets("10.8.0.0/20", 3).slice(0, 1)).toEqual(planSubnets("10.8.0.0/20", 1));
});

it.each(["10.0.0.0/16", "172.16.0.0/18", "10.8.0.0/20"])("lets no two subnets of %s overlap", (cidr) => {
  const ranges = planSubnets(cidr, 3)
    .flatMap((zone) => [zone.private, zone.public, zone.control])
    .map((text) => AddressRange.parse(text));
  expect(ranges).not.toContain(undefined);
  ranges.forEach((one, index) =>
    ranges.slice(index + 1).forEach((other) => {
      expect(one !== undefined && other !== undefined && one.overlaps(other)).toBe(false);
    }),
  );
});

it.each([
  ["10.0.0.0/16", undefined],
  ["10.0.0.0/20", undefined],
  ["10.0.0.0/21", /prefix/],
  ["10.0.0.0/8", /prefix/],
  ["ten", /range of addresses/],
])("checks the range %s", (cidr, fix) => {
  if (fix === undefined) expect(rangeFix(cidr)).toBeUndefined();
  else expect(rangeFix(cidr)).toMatch(fix);
});
