import { setTimeout as pause } from "node:timers/promises";
import { runSchedule, type Scheduled } from "./schedule";

interface Item extends Scheduled<Item> {
  name: string;
  weight: number;
}

const item = (name: string, weight: number, ...after: Item[]): Item => ({ name, weight, after });

test("items run after those they name, the heaviest first, and no more at once than there are slots", async () => {
  const base = item("base", 1);
  const [light, heavy, last] = [item("light", 2, base), item("heavy", 9, base), item("last", 1, base)];
  const began: string[] = [];
  let running = 0;
  let most = 0;
  await runSchedule(
    [base, light, heavy, last],
    { slots: 2, weight: ({ weight }) => weight },
    async ({ name }) => {
      began.push(name);
      most = Math.max(most, ++running);
      await pause(1);
      running--;
    },
  );
  expect(began).toEqual(["base", "heavy", "light", "last"]);
  expect(most).toBe(2);
});

test("the first failure stops the others, begins nothing more, and is the one that is thrown", async () => {
  const began: string[] = [];
  let stopped = false;
  const fails = item("fails", 2);
  const schedule = runSchedule(
    [fails, item("goes on", 1), item("later", 0)],
    { slots: 2, weight: ({ weight }) => weight },
    async ({ name }, signal) => {
      began.push(name);
      if (name === "fails") throw new Error("broken");
      await new Promise<void>((resolve) => {
        const end = (): void => {
          stopped = true;
          resolve();
        };
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
      });
      throw new Error("stopped");
    },
  );
  await expect(schedule).rejects.toThrow("broken");
  expect(began).toEqual(["fails", "goes on"]);
  expect(stopped).toBe(true);
});

test("items that wait for each other are an error, not a hang", async () => {
  const one = item("one", 1);
  const two = item("two", 1, one);
  one.after = [two];
  await expect(runSchedule([one, two], { slots: 1, weight: () => 0 }, async () => {})).rejects.toThrow(
    /wait for each other/,
  );
});
