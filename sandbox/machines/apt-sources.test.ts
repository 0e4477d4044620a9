import { parseOneLineSources, parseParagraphSources, sourceOf } from "./apt-sources";

test("reads one-line sources, with options and comments", () => {
  const text = `# deb http://old.example/debian buster main
deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://mirror.example/debian bookworm main contrib # ours
deb-src http://mirror.example/debian bookworm main
deb http://mirror.example/security bookworm-security main`;
  expect(parseOneLineSources(text)).toEqual([
    {
      uri: "http://mirror.example/debian",
      suites: ["bookworm"],
      components: ["main", "contrib"],
      keyring: "/usr/share/keyrings/a.gpg",
    },
    { uri: "http://mirror.example/security", suites: ["bookworm-security"], components: ["main"] },
  ]);
});

test("reads paragraphs, leaves out disabled ones and keys that stand in the text", () => {
  const text = `Types: deb deb-src
# http://snapshot.example
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/a.gpg

Types: deb
Enabled: no
URIs: http://off.example
Suites: bookworm
Components: main

Types: deb
URIs: http://key.example
Suites: stable
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 mQINBF`;
  expect(parseParagraphSources(text)).toEqual([
    {
      uri: "http://mirror.example/debian",
      suites: ["bookworm", "bookworm-updates"],
      components: ["main"],
      keyring: "/usr/share/keyrings/a.gpg",
    },
    { uri: "http://key.example", suites: ["stable"], components: ["main"] },
  ]);
});

test("takes the source of the release itself, not of its updates", () => {
  const sources = parseOneLineSources(
    "deb http://a.example bookworm-updates main\ndeb http://b.example bookworm contrib\ndeb http://c.example bookworm main",
  );
  expect(sourceOf(sources, "bookworm")?.uri).toBe("http://c.example");
  expect(sourceOf(sources, "trixie")).toBeUndefined();
});
