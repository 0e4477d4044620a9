import { Store } from "./store";

const object = (name: string, app: string): { metadata: { name: string; labels: { app: string } } } => ({
  metadata: { name, labels: { app } },
});

test("an index follows puts and removals, and knows what was there before it", () => {
  const store = new Store<ReturnType<typeof object>>();
  store.put(object("a", "x"));
  store.addIndex("app", ({ metadata }) => [metadata.labels.app]);
  store.put(object("b", "x"));
  const names = (app: string): string[] => store.byIndex("app", app).map(({ metadata }) => metadata.name);
  expect(names("x")).toEqual(["a", "b"]);
  store.put(object("a", "y"));
  expect([names("x"), names("y")]).toEqual([["b"], ["a"]]);
  store.remove("a");
  expect([names("y"), store.size]).toEqual([[], 1]);
  expect(store.remove("a")).toBeUndefined();
});

test("an unknown index is reported with the known ones", () => {
  const store = new Store();
  store.addIndex("app", () => []);
  expect(() => store.byIndex("ap", "x")).toThrow('There is no index "ap"; there are: app.');
});
