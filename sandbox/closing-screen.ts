import { elapsed } from "../lib/progress";
import { DEFAULT_STACK } from "./start-plan";
import type { SummaryRow } from "./summary";

/** What the last screen of `npm start` and `up` shows. */
export interface ClosingScreen {
  sandbox: string;
  /** The stack that was deployed; undefined after `up`. */
  stack: string | undefined;
  /** ` --name blue`, or nothing. */
  nameFlag: string;
  tookMs: number;
  summary: readonly SummaryRow[];
  /** How to log in to a machine. */
  login: string | undefined;
  /** Why there are no machines, if that was not asked for, and what to type to get them. */
  leftOut: { reason: string; remedy: string } | undefined;
}

/** What came up, what to type next and, last, what was left out and why. */
export function closingScreen(screen: ClosingScreen): string {
  const { summary, leftOut } = screen;
  const commands = nextCommands(screen);
  const width = Math.max(...commands.map(([command]) => command.length)) + 3;
  return [
    "",
    header(screen),
    "",
    ...summary.map(([what, how]) => `  ${what.padEnd(12)} ${how}`),
    ...(summary.length === 0 ? [] : [""]),
    "Next:",
    "",
    ...commands.map(([command, why]) => `  ${why === "" ? command : command.padEnd(width) + why}`),
    ...(leftOut === undefined ? [] : ["", ...leftOutLines(screen, leftOut)]),
    "",
  ].join("\n");
}

function header({ sandbox, stack, tookMs, leftOut }: ClosingScreen): string {
  const took = `(${elapsed(tookMs)})`;
  if (stack === undefined) return `Sandbox ${sandbox} is up ${took}.`;
  const instead =
    leftOut === undefined ? "" : ` on simulated nodes, instead of ${DEFAULT_STACK.withMachines}`;
  return `Sandbox ${sandbox} is up and the stack ${stack} is deployed${instead} ${took}.`;
}

function nextCommands({ stack, nameFlag, login }: ClosingScreen): (readonly [string, string])[] {
  return [
    [
      `eval "$(npm run -s sandbox -- env${nameFlag})"`,
      "plain pulumi and kubectl use this sandbox from here on",
    ],
    ["kubectl get nodes", ""],
    ...(login === undefined ? [] : [[login, "logs in to a machine; fleetwright:users adds people"] as const]),
    ["pulumi preview", stack === undefined ? "after npm start" : `shows what would change in ${stack}`],
    [`npm run sandbox -- status${nameFlag}`, ""],
    [`npm run sandbox -- down${nameFlag}`, "stops it and keeps its data; reset deletes it"],
  ];
}

function leftOutLines(
  { stack }: ClosingScreen,
  { reason, remedy }: NonNullable<ClosingScreen["leftOut"]>,
): string[] {
  const what =
    stack === undefined
      ? "Machines were left out"
      : `The stack ${DEFAULT_STACK.withMachines}, a whole cluster on machines, was left out`;
  return [`${what}. ${reason}`, `To get ${stack === undefined ? "them" : "it"}: ${remedy}`];
}
