import { isMassDeletion } from "./deletion-guard";

test.each([
  [0, 0, false],
  [1, 1, false],
  [9, 9, false],
  [10, 10, true],
  [10, 20, false],
  [11, 20, true],
  [500, 1000, false],
  [501, 1000, true],
])("%i of %i at once is a mistake: %s", (going, total, mistake) => {
  expect(isMassDeletion(going, total)).toBe(mistake);
});
