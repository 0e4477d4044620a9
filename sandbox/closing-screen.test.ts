import { type ClosingScreen, closingScreen } from "./closing-screen";

const screen: ClosingScreen = {
  sandbox: "default",
  stack: "dev",
  nameFlag: "",
  tookMs: 182_000,
  summary: [["nodes", "6 of 6 ready"]],
  login: "in-sandbox ssh -F .sandbox/default/ssh.conf 10.0.0.6",
  leftOut: undefined,
};
const leftOut = {
  reason: "Machines need root; this process has the user id 1000.",
  remedy: 'sudo env PATH="$PATH" HOME="$HOME" npm start',
};
const lines = (changes: Partial<ClosingScreen>): string[] =>
  closingScreen({ ...screen, ...changes })
    .trim()
    .split("\n");

test("the header says which stack came up", () => {
  expect(lines({})[0]).toBe("Sandbox default is up and the stack dev is deployed (3m02s).");
  expect(lines({ stack: undefined, login: undefined })[0]).toBe("Sandbox default is up (3m02s).");
});

test("where machines are missing, the header says what came up instead", () => {
  expect(lines({ stack: "existing", login: undefined, leftOut })[0]).toBe(
    "Sandbox default is up and the stack existing is deployed on simulated nodes, instead of dev (3m02s).",
  );
});

test("where machines are missing, the last lines say why and what to type", () => {
  expect(lines({ stack: "existing", login: undefined, leftOut }).slice(-2)).toEqual([
    "The stack dev, a whole cluster on machines, was left out. Machines need root; this process has the user id 1000.",
    'To get it: sudo env PATH="$PATH" HOME="$HOME" npm start',
  ]);
  expect(lines({ stack: undefined, login: undefined, leftOut }).slice(-2)).toEqual([
    "Machines were left out. Machines need root; this process has the user id 1000.",
    'To get them: sudo env PATH="$PATH" HOME="$HOME" npm start',
  ]);
});

test("commands to type next name the sandbox, and logging in only where there are machines", () => {
  const shown = lines({ nameFlag: " --name blue", login: undefined }).join("\n");
  expect(shown).toContain('eval "$(npm run -s sandbox -- env --name blue)"');
  expect(shown).toContain("npm run sandbox -- down --name blue");
  expect(shown).not.toContain("ssh");
  expect(lines({}).join("\n")).toContain(
    "in-sandbox ssh -F .sandbox/default/ssh.conf 10.0.0.6   logs in to a machine",
  );
});
