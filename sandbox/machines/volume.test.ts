import { byIdName, volumeList } from "./volume";

test("a volume is named by its id without the dash, as EC2 names it", () => {
  expect(byIdName("vol-0123abc")).toBe("nvme-Amazon_Elastic_Block_Store_vol0123abc");
});

test("a machine's list has device nodes and a link for each volume", () => {
  expect(volumeList([{ id: "vol-0a", index: 2, major: 7, minor: 11 }])).toBe(`d /dev/disk 0755 root root
d /dev/disk/by-id 0755 root root
b /dev/nvme2n1 0660 root disk - 7:11
b /dev/loop11 0660 root disk - 7:11
L /dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a - - - - ../../nvme2n1
`);
});
