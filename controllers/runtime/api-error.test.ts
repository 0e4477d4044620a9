import { ApiError, isConflict, isExpired, isAlreadyExists, parseStatus, retryAfterMs } from "./api-error";

test.each([
  ["2", 2000],
  ["0.5", 500],
  ["-3", 0],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 5000],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("Retry-After %j", (header, ms) => {
  expect(retryAfterMs(header, 5000)).toBe(ms);
});

test("kinds of refusals are distinguished", () => {
  const refusal = (code: number, reason: string): ApiError => new ApiError("GET /x", code, { reason });
  expect(isConflict(refusal(409, "Conflict"))).toBe(true);
  expect(isConflict(refusal(409, "AlreadyExists"))).toBe(false);
  expect(isAlreadyExists(refusal(409, "AlreadyExists"))).toBe(true);
  expect(isExpired(refusal(410, "Gone"))).toBe(true);
  expect(isExpired(refusal(500, "Expired"))).toBe(true);
  expect(isExpired(new Error("410"))).toBe(false);
});

test("an answer that is no Status becomes the message, cut short", () => {
  expect(parseStatus("<html>bad gateway</html>").message).toBe("<html>bad gateway</html>");
  expect(parseStatus("x".repeat(5000)).message).toHaveLength(300);
  expect(parseStatus('{"kind":"Status","reason":"Gone"}').reason).toBe("Gone");
});
