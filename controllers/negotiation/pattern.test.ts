import { repeatable, testSeed } from "../../test/harness/seed";
import { seededRandom } from "../runtime";
import { matchesPattern } from "./pattern";
import { violations } from "./validate";

test.each([
  ["", "anything", true],
  ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-b", true],
  ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-", false],
  ["^([0-9]+(\\.[0-9]+)?(s|ms|h))+$", "1h2.5ms", true],
  ["^.{2,4}$", "abcde", false],
  ["^.{2,}$", "ab", true],
  ["^.{3}$", "ab", false],
  ["^a.b$", "a\nb", false],
  ["b", "abc", true],
  ["^b", "abc", false],
  ["^(?:a|bc|)$", "", true],
  ["^(?P<name>a)$", "a", true],
  ["^[^/]+$", "a/b", false],
  ["^[]a-]+$", "]-a", true],
  ["^[[:alpha:]_]+$", "aB_", true],
  ["^\\p{L}+$", "\u00e9", true],
  ["^\\x41\\x{1F600}$", "A\u{1F600}", true],
  ["^\\d{4}-\\d{2}$", "2026-11", true],
  ["\\bcat\\b", "a cat!", true],
  ["\\bcat\\b", "concat", false],
  ["^a{0}b$", "b", true],
  ["^(a*)*$", "aaab", false],
  ["^a*?b+?$", "aab", true],
])("%j says of %j that it matches: %p", (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

test.each([
  "(?i)a",
  "a(?=b)",
  "(",
  "a)",
  "[b-a]",
  "[a",
  "a**",
  "\\1",
  "\\u0041",
  "a{1001}",
  "((a{1000}){1000}){1000}",
])("%j is left to the API server", (pattern) => {
  expect(matchesPattern(pattern, "a")).toBeUndefined();
});

test("a pattern that JavaScript would try for years is answered", () => {
  // 2^60 ways: an engine that tries one after another would not come back.
  const schema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } as const;
  expect(violations(schema, { a: `${"a".repeat(60)}!` })).toEqual([{ path: "a", rule: "pattern" }]);
  expect(violations(schema, { a: "a".repeat(60) })).toEqual([]);
});

const SEED = testSeed(20261119);

test("of random patterns it says what JavaScript says of them", () =>
  repeatable(SEED, __filename, () => {
    const random = seededRandom(SEED);
    const pick = (choices: readonly string[]): string => choices[Math.floor(random() * choices.length)] ?? "";
    const pattern = (depth: number): string => {
      const kind = depth === 0 ? 0 : Math.floor(random() * 5);
      if (kind === 0) return pick(["a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "^", "$", "\\b"]);
      if (kind === 1) return `(${pattern(depth - 1)}|${pattern(depth - 1)})`;
      if (kind === 2)
        return `(?:${pattern(depth - 1)})${pick(["*", "+", "?", "{2}", "{1,2}", "{0,}", "*?"])}`;
      return pattern(depth - 1) + pattern(depth - 1);
    };
    let matched = 0;
    for (let round = 0; round < 2000; round++) {
      const source = pattern(3);
      const own = new RegExp(source, "u");
      for (let count = 0; count < 5; count++) {
        const text = Array.from({ length: Math.floor(random() * 6) }, () => pick(["a", "b", "1", "-"])).join(
          "",
        );
        const expected = own.test(text);
        matched += Number(expected);
        if (matchesPattern(source, text) !== expected)
          throw new Error(`${JSON.stringify(source)} of ${JSON.stringify(text)} should be ${expected}.`);
      }
    }
    expect(matched).toBeGreaterThan(1000);
    expect(matched).toBeLessThan(9000);
    return Promise.resolve();
  }));
