// Names of our own that gave way to the words of Kubernetes, Pulumi and AWS. They must not come back.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.join(__dirname, "../..");

/** What was retired, and what is said instead. */
const RETIRED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bhalls?\b|MachineHall|Hall\b/, "machine host"],
  [/\bracks?\b|VolumeRack/, "volume store"],
  [/switchboard/i, "network services"],
  [/\bcrews?\b|Crew\b/, "process group"],
  [/turnstile/i, "mutex"],
  [/\b(new|class) Turns\b/, "keyed mutex"],
  [/\bworkplaces?\b|Workplace/, "controller context"],
  [/homeRules/, "namespaced rules"],
  [/craftsman/i, "node upgrade reconciler"],
  [/workshop/i, "installer directory"],
  [/isTold|\buntold\b/, "status current, stale"],
  [/surroundings/i, "context, environment or options"],
  [/light-(requests|sdk|marks)/, "what it does"],
  [/(Network|Join|Cloud)Place\b/, "reference, source, endpoint"],
  [/\bdoors?\b|Doors?\b/, "gateway, port-forward, ingress rule"],
  [/\bneeds\.ts\b/, "pod requirements"],
  [/plain-errors/, "SDK patches"],
  [/\b(MOST|LONGEST)_/, "MAX_"],
  [/\bmoments?\b/, "time, timestamp"],
  [/\b(scene|world|playground)s?\b|\b\w+(Scene|Stage|World|Playground)\b/, "fixture"],
  [/\btrial\b|\bTrial[A-Z]/, "fixture"],
  [/cluster that is there|one that is there/, "existing cluster"],
  [/made different/, "overridden, differs"],
  [/\b(is|are|was|were|be|been) told\b/, "is reported, gets"],
  [/\bjudges?\b|\bjudged\b|\bjudging\b/, "evaluate, check"],
];

/** Data that others wrote, and this list. */
const LEFT_OUT =
  /^(package-lock\.json|LICENSE|bench\/results\/|scripts\/lint\/retired-words\.test\.ts)|go\.(sum|mod)$|\.gz$/;

/** Where an old word has to stay. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "test/language-host/facts.test.ts": "a greeting",
  "sandbox/machines/record.ts": "the file name of an earlier release",
  "sandbox/machines/record.test.ts": "the file name of an earlier release",
  // Machines would be replaced if their user data changed.
  "components/cluster/rke/scripts/ask-aws.ts": "part of user data",
  "components/cluster/rke/testdata/user-data.agent.yaml": "part of user data",
};

const files = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
  .split("\0")
  .filter(
    (file) =>
      file !== "" &&
      !LEFT_OUT.test(file) &&
      EXCEPTIONS[file] === undefined &&
      existsSync(path.join(ROOT, file)),
  );

test("retired words stand in no file and no file name", () => {
  const found = files.flatMap((file) => {
    const lines = [file, ...readFileSync(path.join(ROOT, file), "utf8").split("\n")];
    return lines.flatMap((line, index) =>
      RETIRED.flatMap(([pattern, instead]) => {
        const word = pattern.exec(line)?.[0];
        return word === undefined ? [] : [`${file}:${index}: "${word}": write ${instead}`];
      }),
    );
  });
  expect(found).toEqual([]);
});
