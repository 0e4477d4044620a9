import { AddressRange } from "./address-range";

const range = (text: string): AddressRange => {
  const found = AddressRange.parse(text);
  if (found === undefined) throw new Error(`${text} is no range`);
  return found;
};

it.each([
  ["10.0.0.0/16", "10.0.0.0/16"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["255.255.255.255/32", "255.255.255.255/32"],
  ["10.0.0.1/16", undefined],
  ["10.0.0/16", undefined],
  ["10.0.0.256/32", undefined],
  ["10.0.0.0/33", undefined],
  ["10.0.0.0", undefined],
  ["", undefined],
])("reads %p as %p", (text, expected) => {
  expect(AddressRange.parse(text)?.toString()).toBe(expected);
});

it.each([
  ["10.0.0.0/16", "10.0.255.0/24", true],
  ["10.0.0.0/16", "10.1.0.0/16", false],
  ["10.42.0.0/15", "10.43.0.0/16", true],
  ["0.0.0.0/0", "192.168.0.0/24", true],
  ["10.0.0.0/24", "10.0.1.0/24", false],
])("knows whether %s and %s overlap: %p", (one, other, expected) => {
  expect(range(one).overlaps(range(other))).toBe(expected);
  expect(range(other).overlaps(range(one))).toBe(expected);
});

it("gives parts and addresses, and nothing behind the end", () => {
  expect(range("10.0.0.0/16").part(18, 3)?.toString()).toBe("10.0.192.0/18");
  expect(range("10.0.0.0/16").part(18, 4)).toBeUndefined();
  expect(range("10.0.0.0/16").part(8, 0)).toBeUndefined();
  expect(range("10.0.5.0/24").host(10)).toBe("10.0.5.10");
  expect(range("10.0.5.0/24").host(256)).toBeUndefined();
});
