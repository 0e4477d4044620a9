// A second opinion about the meet: what jsonsubschema can answer, it must find to accept no more than each side.
import { repeatable, testSeed } from "../../test/harness/seed";
import { meet } from "./meet";
import { text, type Schema } from "./schema";
import { randomFrom, randomObject } from "./testing/random";
import { areSubschemas, canJudge } from "./testing/subschema/subschema";

const SEED = testSeed(8_000);
const ROUNDS = 30_000;

test("jsonsubschema finds the meet below both sides wherever it can answer", () =>
  repeatable(SEED, __filename, async () => {
    const asked: [Schema, Schema][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const random = randomFrom(SEED + round);
      const [a, b] = [randomObject(random, 1), randomObject(random, 1)];
      const both = meet([
        { name: "a", schema: a },
        { name: "b", schema: b },
      ]).schema;
      if (both === undefined || ![a, b, both].every(canJudge)) continue;
      asked.push([both, a], [both, b]);
    }
    const answers = await areSubschemas(asked);
    const wrong = asked
      .filter((_, index) => answers[index] === false)
      .map(([both, side]) => text({ both, side }));
    const answered = answers.filter((answer) => typeof answer === "boolean").length;
    process.stderr.write(
      `Seed ${SEED}: ${asked.length} questions, ${answered} answered, ${wrong.length} against us\n`,
    );
    expect(wrong).toEqual([]);
    expect(answered).toBeGreaterThan(200);
  }));
