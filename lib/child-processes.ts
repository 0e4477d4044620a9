import { readdirSync, readFileSync } from "node:fs";
import { identify, type ProcessIdentity } from "./process";

/** The processes that a process started itself, of those that run now. */
export function childrenOf(parent: number): ProcessIdentity[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .flatMap((name) => identify(Number(name)) ?? []);
}

function parentOf(pid: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; behind it stand the state and the parent.
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It ended in the meantime.
    return undefined;
  }
}
