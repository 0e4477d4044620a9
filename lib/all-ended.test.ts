import { allEnded } from "./all-ended";

test("gives the values in order", async () => {
  expect(await allEnded([Promise.resolve(1), "two", Promise.resolve([3])])).toEqual([1, "two", [3]]);
});

test("rejects only after all have ended", async () => {
  const events: string[] = [];
  let endSlow = () => {};
  const slow = new Promise<void>((resolve) => (endSlow = resolve)).then(() => events.push("slow ended"));
  const all = allEnded([Promise.reject(new Error("first")), slow, Promise.reject(new Error("second"))]).catch(
    (error: unknown) => events.push(String(error)),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(events).toEqual([]);
  endSlow();
  await all;
  expect(events).toEqual(["slow ended", "Error: first"]);
});
