import { gatewayOf, machineHostKey, linkName, macOf } from "./addresses";

test.each([
  ["10.0.1.0/24", "10.0.1.1", 24],
  ["10.0.16.0/20", "10.0.16.1", 20],
  ["172.31.200.128/25", "172.31.200.129", 25],
  ["192.168.255.255/16", "192.168.0.1", 16],
])("the router of %s is %s", (cidr, ip, prefix) => {
  expect(gatewayOf(cidr)).toEqual({ ip, prefix });
});

test("an interface has a locally administered hardware address of its own", () => {
  expect(macOf("10.0.1.10")).toBe("02:fa:0a:00:01:0a");
});

test("names of links and machine hosts are short, and others for others", () => {
  expect(linkName("i-0123456789abcdef0")).toHaveLength(13);
  expect(linkName("i-0123456789abcdef0")).not.toBe(linkName("i-0123456789abcdef1"));
  expect(machineHostKey("/a")).not.toBe(machineHostKey("/b"));
});
