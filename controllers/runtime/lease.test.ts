import { claim, isFree, observe, type Lease } from "./lease";

const lease = (holderIdentity: string, resourceVersion = "1"): Lease => ({
  metadata: { name: "l", resourceVersion },
  spec: { holderIdentity, leaseDurationSeconds: 10, renewTime: "1999-01-01T00:00:00.000000Z" },
});

test("the time of a lease counts from when its state was first seen here, not from what it says", () => {
  const first = observe(undefined, lease("a"), 1000);
  expect(isFree(first, "b", 11_000)).toBe(false);
  expect(isFree(observe(first, lease("a"), 10_900), "b", 11_001)).toBe(true);
  expect(isFree(observe(first, lease("a", "2"), 10_900), "b", 11_001)).toBe(false);
});

test("one's own lease and nobody's are free", () => {
  expect(isFree(observe(undefined, lease("a"), 0), "a", 1)).toBe(true);
  expect(isFree(observe(undefined, lease(""), 0), "b", 1)).toBe(true);
});

test("transitions count changes of the holder only", () => {
  const taken = claim({ holderIdentity: "a", leaseTransitions: 4 }, "b", 10, 0);
  expect(taken).toMatchObject({
    holderIdentity: "b",
    leaseTransitions: 5,
    renewTime: "1970-01-01T00:00:00.000000Z",
  });
  expect(claim(taken, "b", 10, 5000)).toMatchObject({ leaseTransitions: 5, acquireTime: taken.acquireTime });
});
