import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(__dirname, "../..");
const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter((file) => existsSync(path.join(ROOT, file))),
  ...readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => path.join("docs", file)),
];

/** A heading as the address in a link: GitHub's rule. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, "")
    .replaceAll(" ", "-");
}

const textOf = (page: string): string =>
  readFileSync(path.join(ROOT, page), "utf8").replaceAll(/^```[^]*?^```/gm, "");
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** The links of a page that lead nowhere in the repository. */
function brokenIn(page: string): string[] {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor);
    });
}

test.each(pages)("every link of %s leads somewhere", (page) => {
  expect(brokenIn(page)).toEqual([]);
});

test("the index names every page that is not one of a list of its own", () => {
  const own = pages.filter((page) => /^docs\/(how-to\/|reference\/(conf|perm|kinds)|[^/]+\.md)/.test(page));
  const missing = own
    .map((page) => path.relative("docs", page))
    .filter((page) => page !== "README.md" && !textOf("docs/README.md").includes(`(${page})`));
  expect(missing).toEqual([]);
});
