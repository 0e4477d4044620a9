import { sourcesList } from "./base-packages";

const host = ["bookworm", "bookworm-security"].map((suite) => ({
  uri: `https://packages.example/${suite}`,
  suites: [suite],
  components: ["main"],
}));

test("packages come from where this machine installs from", () => {
  const text = sourcesList(host, "https://mirror.example");
  expect(text).toContain("https://packages.example/bookworm bookworm main");
  expect(text).not.toContain("mirror.example");
});

test("elsewhere from the mirror that is named, and from none that is not", () => {
  const text = sourcesList([], "https://mirror.example/");
  expect(text).toContain("https://mirror.example/debian bookworm main");
  expect(text).toContain("https://mirror.example/debian-security bookworm-security main");
  expect(() => sourcesList([], "")).toThrow("FLEETWRIGHT_DEBIAN_MIRROR=https://mirror.example");
});
